import { parseTrustedProxies } from '../../wire/trusted-proxies.ts'
import { SettingError } from './setting-error.ts'
import type { Settings } from './settings.ts'

interface ConnectionReader {
  text(name: string): string | null
  integer(name: string, rule: { fallback: number; least: number; most: number }): number
  optionalInteger(name: string, rule: { least: number; most: number }): number | null
}

type ConnectionSettings = Pick<Settings, 'maxConnections' | 'maxConnectionsPerAddress' | 'trustedProxies'>

const PROXIES = 'TURNPIKE_TRUSTED_PROXIES'
const MAX_CONNECTIONS = 1_000_000

/** How many connections of clients are taken. */
export function readConnectionSettings(read: ConnectionReader): ConnectionSettings {
  return {
    maxConnections: read.optionalInteger('TURNPIKE_MAX_CONNECTIONS', { least: 1, most: MAX_CONNECTIONS }),
    maxConnectionsPerAddress: read.integer('TURNPIKE_MAX_CONNECTIONS_PER_ADDRESS', {
      fallback: 256,
      least: 1,
      most: MAX_CONNECTIONS,
    }),
    trustedProxies: readProxies(read),
  }
}

/** Whoever is in here decides which client an attempt is counted for, so a typing error must not pass. */
function readProxies(read: ConnectionReader): readonly string[] {
  const entries = (read.text(PROXIES) ?? '')
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
  const wrong = entries.find((entry) => parseTrustedProxies([entry]) === null)
  if (wrong === undefined) return entries
  throw new SettingError(
    `${PROXIES} has ${JSON.stringify(wrong)}; it takes addresses and networks such as 10.0.0.0/8, separated by commas.`,
  )
}
