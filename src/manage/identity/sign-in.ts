import { GatewayError } from '../../errors/gateway-error.ts'
import { normaliseEmail } from '../../rules/access/sign-in-rules.ts'
import type { SignIn, User } from '../../vocabulary/user.ts'
import { actorOfUser, type ClientContext, type Entry } from '../ports/identity.ts'
import { beginAttempt, refuseWhileWaiting, type SignInAttempt } from './attempts.ts'
import { findDevice, type KnownDevice } from './known-device.ts'
import type { IdentityParts } from './parts.ts'
import { checkPassword } from './passwords.ts'
import { takeCode } from './second-factor.ts'

/** Signs in with a password and, if enabled, the second factor. All refusals take the same time. */
export async function signIn(
  parts: IdentityParts,
  input: SignIn & { readonly device: string | null },
  client: ClientContext,
): Promise<Entry> {
  const email = normaliseEmail(input.email)
  const device = await findDevice(parts, email, input.device)
  const attempt = beginAttempt(parts, { email: email ?? '', device }, client)
  const user = email === null ? null : await parts.store.findUserByEmail(email)
  const asker = device === null ? 'stranger' : 'known'
  const isRight = await checkPassword(parts, user, { password: input.password, asker }).catch((error) => {
    // The password was not checked, so this was not a guess.
    attempt.takeBack()
    throw error
  })
  if (user === null || user.isDisabled || !isRight) {
    await writeFailure(parts, { user, attempt, reason: 'password', ...client })
    throw new GatewayError('auth_invalid', 'The e-mail address or password is incorrect.')
  }
  if (user.hasSecondFactor) await passSecondFactor(parts, user, { input, attempt, client, device })
  attempt.succeed()
  return parts.sessions.begin(user, client, user.hasSecondFactor ? 'password+code' : 'password')
}

interface CodeStep {
  readonly input: SignIn
  readonly attempt: SignInAttempt
  readonly client: ClientContext
  readonly device: KnownDevice | null
}

async function passSecondFactor(parts: IdentityParts, user: User, step: CodeStep): Promise<void> {
  const { input, attempt, client, device } = step
  if (input.code === null || input.code === '') {
    // The password was correct, so this was not a guess.
    attempt.takeBack()
    throw new GatewayError('second_factor_required', 'Also send the code from your authenticator app.', {
      param: 'code',
    })
  }
  const { codes } = parts.throttles
  // There are few possible codes, so all unknown browsers share one limit.
  const key = device === null ? user.id : `device ${device.id}`
  refuseWhileWaiting(codes, key)
  const attempts = codes.begin(key)
  if (!(await takeCode(parts, user, input.code))) {
    await writeFailure(parts, { user, attempt: { ...attempt, attempts }, reason: 'code', ...client })
    throw new GatewayError('auth_invalid', 'The code is incorrect or was already used.', { param: 'code' })
  }
  codes.forgive(key)
}

interface Failure extends ClientContext {
  readonly user: User | null
  readonly attempt: SignInAttempt
  readonly reason: string
}

/** Never records the typed text: users sometimes type passwords into the wrong field. */
async function writeFailure(parts: IdentityParts, failure: Failure): Promise<void> {
  const { user, attempt, reason, address } = failure
  if (!parts.audit.shouldRecordFailure(attempt.attempts)) return
  const actor = user === null ? 'nobody' : actorOfUser(user)
  const subject = user?.id ?? 'unknown'
  const after = { reason, address, attempts: attempt.attempts }
  await parts.store.writeEvent(parts.audit.event({ actor, action: 'user.sign_in_failed', subject, after }))
}
