import { timingSafeEqual } from 'node:crypto'
import { DEVICE_MS } from '../../rules/access/console-session.ts'
import type { SecretKeeper } from '../../rules/access/server-secret.ts'
import type { Clock } from '../../vocabulary/clock.ts'
import type { User } from '../../vocabulary/user.ts'
import type { IdentityStore } from '../ports/identity.ts'
import type { IdentityRandom } from './parts.ts'

/** A browser in which somebody has signed in before. It opens nothing; its attempts are counted by themselves. */
export interface KnownDevice {
  readonly id: string
  readonly userId: string
  /** Of the user when it was issued: a greater one makes all earlier devices unknown. */
  readonly generation: number
}

const ID_BYTES = 16
const DEVICE = /^([\w-]{1,80})\.([\w-]{22})\.(\d{1,15})\.(\d{1,15})\.([\w-]{43})$/

interface DeviceParts {
  readonly secrets: Pick<SecretKeeper, 'fingerprint'>
  readonly clock: Clock
}

/** The value of the cookie. It says whose device this is and is signed; nothing of it is stored. */
export function issueDevice(
  { secrets, clock, random }: DeviceParts & { readonly random: IdentityRandom },
  user: Pick<User, 'id' | 'deviceGeneration'>,
): string {
  const id = Buffer.from(random.bytes(ID_BYTES)).toString('base64url')
  const text = `${user.id}.${id}.${user.deviceGeneration}.${Math.round(clock.nowMs())}`
  return `${text}.${sign(secrets, text)}`
}

/** The device, if this cookie is one of ours and is that of the user with this address. */
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

// The purpose is part of what is signed, so that no other fingerprint stands for a device.
function sign(secrets: Pick<SecretKeeper, 'fingerprint'>, text: string): string {
  return secrets.fingerprint(`device ${text}`)
}
