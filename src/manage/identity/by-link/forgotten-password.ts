import { GatewayError } from '../../../errors/gateway-error.ts'
import { normaliseEmail } from '../../../rules/access/sign-in-rules.ts'
import type { PasswordRenewal } from '../../../vocabulary/people/invite.ts'
import { actorOfUser, type ClientContext } from '../../ports/identity.ts'
import { placeOf, refuseWhileWaiting } from '../attempts.ts'
import type { IdentityParts } from '../parts.ts'
import { hashNewPassword } from '../passwords.ts'
import { makeMailToken, readMailToken } from './mail-token.ts'

const MINUTE_MS = 60_000
const LIFE_MS = 30 * MINUTE_MS
// Nobody can fill somebody else's mailbox.
const BETWEEN_MAILS_MS = 5 * MINUTE_MS

/**
 * Mails a link for a new password. The answer and its time are the same whether or not a user has the address: the work
 * begins after it.
 */
export function forgetPassword(parts: IdentityParts, email: string, client: ClientContext): void {
  requireMail(parts)
  const place = placeOf(client.address)
  const { byAddress } = parts.throttles
  refuseWhileWaiting(byAddress, place)
  byAddress.begin(place)
  const address = normaliseEmail(email)
  if (address === null) return
  mailReset(parts, address).catch((error) => parts.log.trouble('a new password could not be mailed', error))
}

async function mailReset(parts: IdentityParts, email: string): Promise<void> {
  const { store, clock, audit } = parts
  const mail = requireMail(parts)
  const user = await store.findUserByEmail(email)
  // Users of an identity provider have no password here, and must not get one by mail.
  if (user === null || user.isDisabled || !user.hasPassword) return
  const nowMs = clock.nowMs()
  const { token, tokenHash } = makeMailToken(parts, 'reset')
  const event = audit.event({ actor: 'nobody', action: 'user.password_forgotten', subject: user.id })
  const expiresAtMs = nowMs + LIFE_MS
  const reset = { userId: user.id, tokenHash, expiresAtMs }
  if (!(await store.saveReset({ reset, replacesUntilMs: expiresAtMs - BETWEEN_MAILS_MS }, event))) return
  const text = [
    'Somebody asked for a new password for this address. If it was you, open this link within 30 minutes. It works once:',
    `${mail.publicUrl}/console/new-password#${token}`,
    '',
    'If it was not you, ignore this mail. Your password stays as it is.',
    '',
  ].join('\n')
  const failure = await mail.send({ to: user.email, subject: 'Choose a new password', text })
  if (failure !== null) throw new Error(failure)
}

/** Sets the new password and ends every session. The second factor, if there is one, is still asked for at sign-in. */
export async function renewPassword(
  parts: IdentityParts,
  { token, password }: PasswordRenewal,
  client: ClientContext,
): Promise<void> {
  requireMail(parts)
  const { store, sessions, audit, throttles, clock } = parts
  const place = placeOf(client.address)
  refuseWhileWaiting(throttles.byAddress, place)
  const tokenHash = readMailToken(parts, 'reset', token)
  const reset = tokenHash === null ? null : await store.findResetByToken(tokenHash)
  const user = reset === null ? null : await store.findUser(reset.userId)
  if (reset === null || user === null || user.isDisabled || reset.expiresAtMs <= clock.nowMs()) {
    throttles.byAddress.begin(place)
    throw over()
  }
  const rules = { email: user.email, param: 'password', asker: 'stranger' } as const
  const passwordHash = await hashNewPassword(parts, password, rules)
  if (!(await store.takeReset(reset))) throw over()
  const actor = actorOfUser(user)
  const event = audit.event({ actor, action: 'user.password_renewed', subject: user.id })
  await store.changeUser(user.id, { passwordHash }, event)
  await sessions.endAll(user.id, null, actor)
}

function over(): GatewayError {
  return new GatewayError('not_found', 'This link was used or is over. Ask for another one.')
}

function requireMail({ mail }: IdentityParts): NonNullable<IdentityParts['mail']> {
  if (mail !== null) return mail
  throw new GatewayError('not_found', 'This gateway sends no mail. Ask its operator for a new password.')
}
