import { totalmem } from 'node:os'
import { parseTrustedProxies } from '../../wire/trusted-proxies.ts'
import { SettingError, type Settings } from './settings.ts'

interface ConnectionReader {
  text(name: string): string | null
  integer(name: string, rule: { fallback: number; least: number; most: number }): number
  optionalInteger(name: string, rule: { least: number; most: number }): number | null
}

type ConnectionSettings = Pick<Settings, 'maxConnections' | 'maxConnectionsPerAddress' | 'trustedProxies'>

const PROXIES = 'TURNPIKE_TRUSTED_PROXIES'
const MAX_CONNECTIONS = 1_000_000

/** Limits for client connections. */
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

/** These proxies decide for which client an attempt counts, so a typing error must stop the start. */
function readProxies(read: ConnectionReader): readonly string[] {
  const entries = (read.text(PROXIES) ?? '')
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
  const wrong = entries.find((entry) => parseTrustedProxies([entry]) === null)
  if (wrong === undefined) return entries
  throw new SettingError(
    `${PROXIES} has ${JSON.stringify(wrong)}; it must be addresses and networks such as 10.0.0.0/8, separated by commas.`,
  )
}

interface TelemetryReader extends ConnectionReader {
  token(name: string, rule: { least: number }): string | null
  choice<const T extends string>(name: string, rule: { choices: readonly T[]; fallback: T }): T
}

type TelemetrySettings = Pick<
  Settings,
  'metricsToken' | 'metricsPort' | 'metricsHostname' | 'metricsAccounts' | 'profiling'
>

// Wrong tokens are not counted on the metrics port, so it must be long enough to resist guessing.
const MIN_METRICS_TOKEN_LENGTH = 32
const MAX_METRICS_ACCOUNTS = 10_000
const LOOPBACK_HOST = /^(?:localhost|127(?:\.\d{1,3}){3}|::1)$/

/** What shows the state of this gateway to other programs. */
export function readTelemetrySettings(read: TelemetryReader, hostname: string): TelemetrySettings {
  const settings: TelemetrySettings = {
    metricsToken: read.token('TURNPIKE_METRICS_TOKEN', { least: MIN_METRICS_TOKEN_LENGTH }),
    metricsPort: read.optionalInteger('TURNPIKE_METRICS_PORT', { least: 0, most: 65_535 }),
    metricsHostname: read.text('TURNPIKE_METRICS_HOST') ?? hostname,
    metricsAccounts: read.integer('TURNPIKE_METRICS_ACCOUNTS', {
      fallback: 100,
      least: 0,
      most: MAX_METRICS_ACCOUNTS,
    }),
    profiling: read.choice('TURNPIKE_PROFILING', { choices: ['on', 'off'], fallback: 'off' }),
  }
  const { metricsPort, metricsHostname, metricsToken } = settings
  if (metricsPort !== null && metricsToken === null && !LOOPBACK_HOST.test(metricsHostname)) {
    throw new SettingError(
      'TURNPIKE_METRICS_TOKEN is not set; with TURNPIKE_METRICS_PORT it is required, unless TURNPIKE_METRICS_HOST is an address of this machine only, such as 127.0.0.1.',
    )
  }
  return settings
}

interface BodyReader {
  integer(name: string, rule: { fallback: number; least: number; most: number }): number
}

type BodySettings = Pick<
  Settings,
  'maxBodyBytes' | 'maxUploadBytes' | 'maxHeldBodyBytes' | 'maxHeldBodyBytesPerAccount'
>

const MEBIBYTE = 1024 * 1024
const GIBIBYTE = 1024 * MEBIBYTE
const MAX_DEFAULT_HELD_BYTES = 512 * MEBIBYTE

/** Limits for the size of request bodies, each and all together. */
export function readBodySettings(read: BodyReader, { workers }: Pick<Settings, 'workers'>): BodySettings {
  const maxBodyBytes = read.integer('TURNPIKE_MAX_BODY_BYTES', {
    fallback: 32 * MEBIBYTE,
    least: 1_024,
    most: GIBIBYTE,
  })
  // The largest body must fit, or a request of that size would never be served.
  const maxHeldBodyBytes = read.integer('TURNPIKE_MAX_HELD_BODY_BYTES', {
    fallback: Math.max(
      maxBodyBytes,
      Math.min(MAX_DEFAULT_HELD_BYTES, Math.floor(memoryBytes() / 4 / workers)),
    ),
    least: maxBodyBytes,
    most: 1024 * GIBIBYTE,
  })
  return {
    maxBodyBytes,
    maxUploadBytes: read.integer('TURNPIKE_MAX_UPLOAD_BYTES', {
      fallback: 64 * MEBIBYTE,
      least: 1_024,
      most: GIBIBYTE,
    }),
    maxHeldBodyBytes,
    maxHeldBodyBytesPerAccount: read.integer('TURNPIKE_MAX_HELD_BODY_BYTES_PER_ACCOUNT', {
      // A gateway may have a single account.
      fallback: Math.max(maxBodyBytes, Math.floor(maxHeldBodyBytes / 2)),
      least: maxBodyBytes,
      most: 1024 * GIBIBYTE,
    }),
  }
}

/** The memory limit of the container, or else the memory of the machine. */
function memoryBytes(): number {
  const machine = totalmem()
  const allowed = process.constrainedMemory()
  return allowed > 0 ? Math.min(allowed, machine) : machine
}
