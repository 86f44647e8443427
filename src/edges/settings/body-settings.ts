import { totalmem } from 'node:os'
import type { Settings } from './settings.ts'

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

/** How large request bodies may be, one alone and all together. */
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
      // A team that runs the gateway for itself may have a single account.
      fallback: Math.max(maxBodyBytes, Math.floor(maxHeldBodyBytes / 2)),
      least: maxBodyBytes,
      most: 1024 * GIBIBYTE,
    }),
  }
}

/** What the container allows, or what the machine has. */
function memoryBytes(): number {
  const machine = totalmem()
  const allowed = process.constrainedMemory()
  return allowed > 0 ? Math.min(allowed, machine) : machine
}
