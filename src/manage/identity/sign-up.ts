import { GatewayError } from '../../errors/gateway-error.ts'
import { normaliseEmail } from '../../rules/access/sign-in-rules.ts'
import type { SignUp, User } from '../../vocabulary/user.ts'
import { actorOfUser, type ClientContext, type Entry } from '../ports/identity.ts'
import { placeOf, refuseWhileWaiting } from './attempts.ts'
import type { IdentityParts } from './parts.ts'
import { hashNewPassword } from './passwords.ts'

/** Creates a user with a new account. */
export async function signUp(parts: IdentityParts, input: SignUp, client: ClientContext): Promise<Entry> {
  if (!parts.allowsSignUp) throw new GatewayError('not_found', 'Sign-up is disabled on this gateway.')
  // Counts like a sign-in attempt and is never forgiven; this limits the accounts per address.
  const place = placeOf(client.address)
  refuseWhileWaiting(parts.throttles.byAddress, place)
  parts.throttles.byAddress.begin(place)
  const email = requireEmail(input.email)
  const passwordHash = await hashNewPassword(parts, input.password, {
    email,
    param: 'password',
    asker: 'stranger',
  })
  const name = requireName(input.name)
  const user = newUser(parts, { email, name, hasPassword: true, isEmailVerified: false, outsideId: null })
  await makeUserWithAccount(parts, user, passwordHash)
  return parts.sessions.begin(user, client, 'sign-up')
}

/** Creates a user and an account that the user owns. */
export async function makeUserWithAccount(
  parts: IdentityParts,
  user: User,
  passwordHash: string | null,
): Promise<void> {
  const { store, accounts, audit } = parts
  if ((await store.findUserByEmail(user.email)) !== null) throw addressInUse()
  const actor = actorOfUser(user)
  const accountId = await accounts.create({ name: user.name, email: user.email }, actor)
  const memberships = [{ userId: user.id, accountId, role: 'owner' }] as const
  const after = { email: user.email, account: accountId }
  const event = audit.event({ actor, action: 'user.signed_up', subject: user.id, after })
  if (!(await store.createUser({ user, passwordHash, memberships }, event))) throw addressInUse()
}

type NewFacts = Pick<User, 'email' | 'name' | 'hasPassword' | 'isEmailVerified' | 'outsideId'>

export function newUser({ random, clock }: IdentityParts, facts: NewFacts): User {
  return {
    id: random.id('usr'),
    isOperator: false,
    isDisabled: false,
    hasSecondFactor: false,
    deviceGeneration: 0,
    createdAtMs: clock.nowMs(),
    ...facts,
  }
}

export function requireEmail(text: string): string {
  const email = normaliseEmail(text)
  if (email !== null) return email
  throw new GatewayError('invalid_request', 'email must be an e-mail address.', { param: 'email' })
}

export function requireName(text: string): string {
  const name = text.trim()
  if (name !== '') return name
  throw new GatewayError('invalid_request', 'name must not be blank.', { param: 'name' })
}

export function addressInUse(): GatewayError {
  return new GatewayError('invalid_request', 'A user with this e-mail address already exists.', {
    param: 'email',
  })
}
