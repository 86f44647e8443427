import { GatewayError } from '../../../errors/gateway-error.ts'
import { normaliseEmail } from '../../../rules/access/sign-in-rules.ts'
import type {
  InviteCreate,
  InviteJoin,
  InviteOffer,
  IssuedInvite,
  StoredInvite,
} from '../../../vocabulary/people/invite.ts'
import type { Role } from '../../../vocabulary/words.ts'
import { actorOfUser, type ClientContext, type Entry, type Visitor } from '../../ports/identity.ts'
import { placeOf, refuseWhileWaiting } from '../attempts.ts'
import type { IdentityParts } from '../parts.ts'
import { hashNewPassword } from '../passwords.ts'
import { newUser, requireEmail, requireName } from '../sign-up.ts'
import { makeMailToken, readMailToken } from './mail-token.ts'

const DAY_MS = 24 * 60 * 60 * 1_000
// The whole list is shown at once, and a leaked owner's session must not mail the world.
const MOST_OPEN = 100

export async function createInvite(
  parts: IdentityParts,
  { accountId, ...input }: InviteCreate & { readonly accountId: string },
  { user }: Visitor,
): Promise<IssuedInvite> {
  const { store, random, clock, audit } = parts
  const nowMs = clock.nowMs()
  const email = input.email === null ? null : requireEmail(input.email)
  if ((await store.listInvites(accountId, nowMs)).length >= MOST_OPEN) {
    throw new GatewayError(
      'invalid_request',
      `The account has ${MOST_OPEN} open invitations. Revoke some first.`,
    )
  }
  const { token, tokenHash } = makeMailToken(parts, 'invite')
  const invite: StoredInvite = {
    id: random.id('inv'),
    accountId,
    email,
    role: input.role,
    tokenHash,
    createdBy: user.email,
    createdAtMs: nowMs,
    expiresAtMs: nowMs + input.days * DAY_MS,
  }
  const after = { invite: invite.id, email, role: invite.role }
  const deed = { actor: actorOfUser(user), action: 'invite.created', subject: accountId, after }
  await store.saveInvite(invite, audit.event(deed))
  const isMailed = email !== null && (await mailInvite(parts, invite, { to: email, token }))
  return { ...invite, token, isMailed }
}

async function mailInvite(
  { mail, accounts, log }: IdentityParts,
  { accountId, createdBy, role }: StoredInvite,
  { to, token }: { readonly to: string; readonly token: string },
): Promise<boolean> {
  if (mail === null) return false
  const name = oneLine(accounts.nameOf(accountId) ?? accountId)
  const text = [
    `${createdBy} invites you to the account "${name}" as ${role}.`,
    '',
    'Open this link to accept. It works once:',
    `${mail.publicUrl}/console/join#${token}`,
    '',
    'If you do not know the sender, ignore this mail.',
    '',
  ].join('\n')
  const failure = await mail.send({ to, subject: `Invitation to ${name}`, text })
  if (failure !== null) log.trouble('an invitation could not be mailed', new Error(failure))
  return failure === null
}

/** The name is the customer's own text; a line break would end a header. */
function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').slice(0, 100)
}

export async function revokeInvite(
  { store, audit }: IdentityParts,
  which: { readonly accountId: string; readonly id: string },
  actor: string,
): Promise<void> {
  const deed = { actor, action: 'invite.revoked', subject: which.accountId, before: { invite: which.id } }
  const revoked = await store.deleteInvite(which, audit.event(deed))
  if (revoked === 0) throw new GatewayError('not_found', 'There is no such invitation.')
}

/** What the link offers, to somebody who has it. */
export async function showInvite(
  parts: IdentityParts,
  token: string,
  client: ClientContext,
): Promise<InviteOffer> {
  const invite = await requireInvite(parts, token, client)
  return { ...invite, accountName: parts.accounts.nameOf(invite.accountId) ?? invite.accountId }
}

/** A signed-in user joins the account. */
export async function acceptInvite(
  parts: IdentityParts,
  { token, visitor }: { readonly token: string; readonly visitor: Visitor },
  client: ClientContext,
): Promise<Visitor> {
  const { user, memberships } = visitor
  const invite = await requireInvite(parts, token, client)
  requireInvited(invite, user.email)
  const { accountId, role } = invite
  if (memberships.some((each) => each.accountId === accountId)) {
    throw new GatewayError('invalid_request', 'You are a member of this account already.')
  }
  const membership = { userId: user.id, accountId, role }
  await accept(parts, { invite, membership, newUser: null }, actorOfUser(user))
  parts.sessions.forget(user.id)
  return { ...visitor, memberships: [...memberships, membership] }
}

/** A new user joins the account. Works while sign-up is off: an owner has asked for them. */
export async function joinByInvite(
  parts: IdentityParts,
  input: InviteJoin,
  client: ClientContext,
): Promise<Entry> {
  const invite = await requireInvite(parts, input.token, client)
  const email = requireEmail(input.email)
  requireInvited(invite, email)
  const rules = { email, param: 'password', asker: 'stranger' } as const
  const passwordHash = await hashNewPassword(parts, input.password, rules)
  const facts = { email, name: requireName(input.name), hasPassword: true, isEmailVerified: false }
  const user = newUser(parts, { ...facts, outsideId: null })
  const membership = { userId: user.id, accountId: invite.accountId, role: invite.role }
  const made = { user, passwordHash, memberships: [] }
  await accept(parts, { invite, membership, newUser: made }, actorOfUser(user))
  return parts.sessions.begin(user, client, 'invite')
}

type Acceptance = Parameters<IdentityParts['store']['acceptInvite']>[0]

async function accept({ store, audit }: IdentityParts, acceptance: Acceptance, actor: string): Promise<void> {
  const { invite, membership } = acceptance
  const after: { invite: string; user: string; role: Role } = {
    invite: invite.id,
    user: membership.userId,
    role: membership.role,
  }
  const event = audit.event({ actor, action: 'invite.accepted', subject: invite.accountId, after })
  if (!(await store.acceptInvite(acceptance, event))) throw gone()
}

/** Wrong tokens count by address and are never forgiven, so that tokens cannot be guessed. */
async function requireInvite(
  parts: IdentityParts,
  token: string,
  client: ClientContext,
): Promise<StoredInvite> {
  const place = placeOf(client.address)
  const { byAddress } = parts.throttles
  refuseWhileWaiting(byAddress, place)
  const tokenHash = readMailToken(parts, 'invite', token)
  const invite = tokenHash === null ? null : await parts.store.findInvite(tokenHash)
  if (invite !== null && invite.expiresAtMs > parts.clock.nowMs()) return invite
  byAddress.begin(place)
  throw gone()
}

function gone(): GatewayError {
  return new GatewayError('not_found', 'This invitation was used, revoked, or is over. Ask for another one.')
}

function requireInvited({ email }: StoredInvite, address: string): void {
  if (email === null || email === normaliseEmail(address)) return
  throw new GatewayError('permission_denied', `This invitation is for ${email}.`, { param: 'email' })
}
