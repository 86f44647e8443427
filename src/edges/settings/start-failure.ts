import { SettingError } from './read-settings.ts'
import type { Settings } from './settings.ts'

/**
 * Why a start failed, in one line that names the setting to change. Of the original error only the code is repeated,
 * because its text may contain an address with a password.
 */
export function explainStartFailure(failure: unknown, settings: Settings | null): string | null {
  if (failure instanceof SettingError) return failure.message
  const code = codeOf(failure)
  if (settings === null || code === null) return null
  if (LISTENER_CODES.has(code) || isUnknownHost(failure, settings)) return explainListener(code, settings)
  if (settings.databaseUrl !== null && isOfServer(code))
    return explainServer(code, failure, settings.databaseUrl)
  if (code.startsWith('SQLITE_')) {
    const path = JSON.stringify(settings.dataFolder)
    return `TURNPIKE_DATA is ${path}; its database cannot be used (${code}).`
  }
  return null
}

const LISTENER_CODES = new Set(['EADDRINUSE', 'EADDRNOTAVAIL', 'EACCES', 'EPERM'])

function isUnknownHost(failure: unknown, { hostname }: Settings): boolean {
  return failure instanceof Error && 'hostname' in failure && failure.hostname === hostname
}

function explainListener(code: string, { hostname, port }: Settings): string {
  // Bun also reports EADDRINUSE for a host that it cannot resolve. Port 0 can never be in use.
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || port === 0) {
    return `HOST is ${JSON.stringify(hostname)}; it must be an address of this machine (${code}).`
  }
  if (code === 'EADDRINUSE') return `Port ${port} of ${hostname} is already in use. Set PORT to another one.`
  return `This process may not listen on port ${port} (${code}). Set PORT to another one.`
}

function isOfServer(code: string): boolean {
  return code.startsWith('ERR_POSTGRES_') || code === 'ERR_INVALID_URL'
}

function explainServer(code: string, failure: unknown, databaseUrl: string): string {
  const reason = reasonOf(code, failure)
  return `DATABASE_URL names ${addressOf(databaseUrl)}, but this PostgreSQL database cannot be used (${reason}).`
}

/** Errors of the server have a five-character state, which is more precise than the client's code and not secret. */
function reasonOf(code: string, failure: unknown): string {
  const state =
    typeof failure === 'object' && failure !== null && 'errno' in failure ? failure.errno : undefined
  return state === undefined ? code : `${code} ${String(state)}`
}

/** Host, port and database, without user and password. */
function addressOf(databaseUrl: string): string {
  const url = URL.parse(databaseUrl)
  return url === null ? 'an address that cannot be read' : `${url.host}${url.pathname}`
}

function codeOf(failure: unknown): string | null {
  return failure instanceof Error && 'code' in failure ? String(failure.code) : null
}
