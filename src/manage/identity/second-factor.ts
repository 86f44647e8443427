import { GatewayError } from '../../errors/gateway-error.ts'
import { decodeBase32, encodeBase32, findStep, totpUri } from '../../rules/access/totp.ts'
import type { FactorProof, User } from '../../vocabulary/user.ts'
import { actorOfUser, type Entry, type Visitor } from '../ports/identity.ts'
import { refuseWhileWaiting, signedInKey } from './attempts.ts'
import type { IdentityParts } from './parts.ts'
import { checkPassword } from './passwords.ts'

const SECRET_BYTES = 20
const RECOVERY_CODES = 10
const RECOVERY_BYTES = 10

/** Creates a secret for the authenticator app. It takes effect once it is confirmed with a code. */
export async function beginSecondFactor(parts: IdentityParts, { user }: Visitor) {
  if (user.hasSecondFactor) {
    throw new GatewayError('invalid_request', 'The second factor is already enabled. Disable it first.')
  }
  const secret = encodeBase32(parts.random.bytes(SECRET_BYTES))
  await parts.store.saveSecondFactor({ userId: user.id, secret, isConfirmed: false, lastStep: 0 }, [], null)
  return { secret, uri: totpUri(secret, user.email) }
}

export async function confirmSecondFactor(
  parts: IdentityParts,
  visitor: Visitor,
  code: string,
): Promise<{ entry: Entry; recoveryCodes: readonly string[] }> {
  const { user } = visitor
  const factor = await parts.store.findSecondFactor(user.id)
  if (factor === null || factor.isConfirmed) {
    throw new GatewayError('invalid_request', 'There is no second factor to confirm. Start the setup again.')
  }
  const step = findStep(cleanCode(code), decodeBase32(factor.secret), parts.clock.nowMs())
  if (step === null) {
    throw new GatewayError(
      'invalid_request',
      'The code is incorrect. Wait for the next code and try again.',
      {
        param: 'code',
      },
    )
  }
  const recoveryCodes = Array.from({ length: RECOVERY_CODES }, () => makeRecoveryCode(parts))
  const hashes = recoveryCodes.map((recoveryCode) => hashRecoveryCode(parts, user, recoveryCode))
  const auditEntry = { actor: actorOfUser(user), action: 'user.second_factor_enabled', subject: user.id }
  const confirmed = { ...factor, isConfirmed: true, lastStep: step }
  await parts.store.saveSecondFactor(confirmed, hashes, parts.audit.event(auditEntry))
  return { entry: await parts.sessions.renew(visitor), recoveryCodes }
}

export async function disableSecondFactor(
  parts: IdentityParts,
  visitor: Visitor,
  proof: FactorProof,
): Promise<Entry> {
  const { user } = visitor
  if (!user.hasSecondFactor || (proof.password === null && proof.code === null)) {
    throw new GatewayError(
      'invalid_request',
      'Send the password or a code. The user must have a second factor.',
    )
  }
  const { codes } = parts.throttles
  const key = signedInKey(user)
  refuseWhileWaiting(codes, key)
  codes.begin(key)
  if (!(await isProven(parts, user, proof))) {
    throw new GatewayError('permission_denied', 'The password or code is incorrect.')
  }
  codes.forgive(key)
  await removeSecondFactor(parts, user, actorOfUser(user))
  return parts.sessions.renew(visitor)
}

export async function removeSecondFactor(parts: IdentityParts, user: User, actor: string): Promise<void> {
  const auditEntry = { actor, action: 'user.second_factor_disabled', subject: user.id }
  await parts.store.deleteSecondFactor(user.id, parts.audit.event(auditEntry))
  parts.sessions.forget(user.id)
}

async function isProven(parts: IdentityParts, user: User, { password, code }: FactorProof): Promise<boolean> {
  if (password !== null) return checkPassword(parts, user, { password, asker: 'known' })
  return code !== null && takeCode(parts, user, code)
}

/** Consumes an authenticator code or a recovery code. Returns false when it is invalid or already used. */
export async function takeCode(parts: IdentityParts, user: User, code: string): Promise<boolean> {
  const typed = cleanCode(code)
  if (!/^\d{6}$/.test(typed)) {
    return parts.store.takeRecoveryCode(user.id, hashRecoveryCode(parts, user, typed))
  }
  const factor = await parts.store.findSecondFactor(user.id)
  if (factor?.isConfirmed !== true) return false
  const step = findStep(typed, decodeBase32(factor.secret), parts.clock.nowMs())
  return step !== null && parts.store.takeStep(user.id, step)
}

function cleanCode(code: string): string {
  return code.replaceAll(/[\s-]/g, '').toUpperCase()
}

/** Eighty random bits in two groups, for copying by hand. */
function makeRecoveryCode({ random }: IdentityParts): string {
  const text = encodeBase32(random.bytes(RECOVERY_BYTES)).toLowerCase()
  return `${text.slice(0, 8)}-${text.slice(8)}`
}

// The codes are random and long enough that a fast hash is safe.
function hashRecoveryCode({ secrets }: IdentityParts, user: User, code: string): string {
  return secrets.fingerprint(`recovery ${user.id} ${cleanCode(code)}`)
}
