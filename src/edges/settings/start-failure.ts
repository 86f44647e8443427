import { SettingError } from './read-settings.ts'
import type { Settings } from './settings.ts'

/**
 * Why a start failed, in one line that names the setting to change. Nothing of the failure's own text is repeated
 * except a code, because it may hold an address with a password.
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
  // Bun says EADDRINUSE for a host it cannot resolve too; without a wish for a port none can be taken.
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || port === 0) {
    return `HOST is ${JSON.stringify(hostname)}; it takes an address of this machine (${code}).`
  }
  if (code === 'EADDRINUSE')
    return `PORT is ${port}; it takes a port of ${hostname} that no other program uses.`
  return `PORT is ${port}; it takes a port this process may listen on (${code}).`
}

function isOfServer(code: string): boolean {
  return code.startsWith('ERR_POSTGRES_') || code === 'ERR_INVALID_URL'
}

function explainServer(code: string, failure: unknown, databaseUrl: string): string {
  const reason = reasonOf(code, failure)
  return `DATABASE_URL names ${addressOf(databaseUrl)}; it takes a PostgreSQL server that can be used (${reason}).`
}

/** A server's own error has a five-character state, which says more than the client's code and holds no secret. */
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
