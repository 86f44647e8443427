import { timingSafeEqual } from 'node:crypto'
import { DEVICE_MS } from '../../rules/access/console-session.ts'
import type { SecretKeeper } from '../../rules/access/server-secret.ts'
import type { Clock } from '../../vocabulary/clock.ts'
import type { User } from '../../vocabulary/user.ts'
import type { IdentityStore } from '../ports/identity.ts'

export interface IdentityRandom {
  /** A fresh id, `<prefix>_…`. */
  id(prefix: string): string
  bytes(count: number): Uint8Array
}

/** A browser that was used to sign in before. It grants no access; its attempts are counted separately. */
export interface KnownDevice {
  readonly id: string
  readonly userId: string
  /** The user's generation at issue. Increasing it invalidates all earlier devices. */
  readonly generation: number
}

const ID_BYTES = 16
const DEVICE = /^([\w-]{1,80})\.([\w-]{22})\.(\d{1,15})\.(\d{1,15})\.([\w-]{43})$/

interface DeviceParts {
  readonly secrets: Pick<SecretKeeper, 'fingerprint'>
  readonly clock: Clock
}

/** Creates the cookie value. It names the user and is signed; nothing is stored. */
export function issueDevice(
  { secrets, clock, random }: DeviceParts & { readonly random: IdentityRandom },
  user: Pick<User, 'id' | 'deviceGeneration'>,
): string {
  const id = Buffer.from(random.bytes(ID_BYTES)).toString('base64url')
  const text = `${user.id}.${id}.${user.deviceGeneration}.${Math.round(clock.nowMs())}`
  return `${text}.${sign(secrets, text)}`
}

/** Returns the device if the cookie is valid and belongs to the user with this e-mail address. */
export async function findDevice(
  parts: DeviceParts & { readonly store: Pick<IdentityStore, 'findUserByEmail'> },
  email: string | null,
  cookie: string | null,
): Promise<KnownDevice | null> {
  const device = cookie === null ? null : readDevice(parts, cookie)
  if (device === null || email === null) return null
  const user = await parts.store.findUserByEmail(email)
  return user?.id === device.userId && user.deviceGeneration === device.generation ? device : null
}

function readDevice({ secrets, clock }: DeviceParts, cookie: string): KnownDevice | null {
  const [, userId, id, generation, issuedAtMs, signature] = DEVICE.exec(cookie) ?? []
  if (userId === undefined || id === undefined || signature === undefined) return null
  const expected = sign(secrets, cookie.slice(0, -signature.length - 1))
  if (!timingSafeEqual(Buffer.from(signature), Buffer.from(expected))) return null
  const ageMs = clock.nowMs() - Number(issuedAtMs)
  return ageMs < DEVICE_MS ? { id, userId, generation: Number(generation) } : null
}

// The purpose is part of the signed text, so that no other fingerprint is valid for a device.
function sign(secrets: Pick<SecretKeeper, 'fingerprint'>, text: string): string {
  return secrets.fingerprint(`device ${text}`)
}
