import { GatewayError } from '../../errors/gateway-error.ts'
import type { PasswordChange } from '../../vocabulary/user.ts'
import { actorOfUser, type Entry, type Visitor } from '../ports/identity.ts'
import { refuseWhileWaiting, signedInKey } from './attempts.ts'
import type { IdentityParts } from './parts.ts'
import { checkPassword, hashNewPassword } from './passwords.ts'
import { requireName } from './sign-up.ts'

export async function changePassword(
  parts: IdentityParts,
  visitor: Visitor,
  { current, next }: PasswordChange,
): Promise<Entry> {
  const { user, session } = visitor
  const { codes } = parts.throttles
  const key = signedInKey(user)
  refuseWhileWaiting(codes, key)
  codes.begin(key)
  if (!(await checkPassword(parts, user, { password: current, asker: 'known' }))) {
    throw new GatewayError('permission_denied', 'The current password is incorrect.', { param: 'current' })
  }
  codes.giveBack(key)
  const rules = { email: user.email, param: 'new', asker: 'known' } as const
  const passwordHash = await hashNewPassword(parts, next, rules)
  const actor = actorOfUser(user)
  const event = parts.audit.event({ actor, action: 'user.password_changed', subject: user.id })
  await parts.store.changeUser(user.id, { passwordHash }, event)
  await parts.sessions.endAll(user.id, session.id, actor)
  return parts.sessions.renew(visitor)
}

export async function rename(parts: IdentityParts, visitor: Visitor, text: string): Promise<Visitor> {
  const { user } = visitor
  const name = requireName(text)
  const auditEntry = { actor: actorOfUser(user), action: 'user.changed', subject: user.id }
  const states = { before: { name: user.name }, after: { name } }
  await parts.store.changeUser(user.id, { name }, parts.audit.event({ ...auditEntry, ...states }))
  parts.sessions.forget(user.id)
  return { ...visitor, user: { ...user, name } }
}

export async function endSession(parts: IdentityParts, { user }: Visitor, sessionId: string): Promise<void> {
  const hasEnded = await parts.sessions.endOne(user.id, sessionId, actorOfUser(user))
  if (!hasEnded) throw new GatewayError('not_found', 'There is no such session.')
}
