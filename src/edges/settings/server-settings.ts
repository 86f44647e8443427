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
