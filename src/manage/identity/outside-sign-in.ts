import { GatewayError } from '../../errors/gateway-error.ts'
import type { SealedPlace } from '../../rules/access/server-secret.ts'
import { normaliseEmail } from '../../rules/access/sign-in-rules.ts'
import type { User } from '../../vocabulary/user.ts'
import {
  actorOfUser,
  type ClientContext,
  type Entry,
  type OutsideFailure,
  type OutsideFlow,
  type OutsideIdentity,
  type OutsideProvider,
  type OutsideSignIn,
} from '../ports/identity.ts'
import type { IdentityParts } from './parts.ts'
import { makeUserWithAccount, newUser } from './sign-up.ts'

/** How long a user may take at the provider. */
export const TICKET_SECONDS = 600

/** Sign-in at an identity provider. The state of the flow is kept encrypted in the user's browser. */
export function createOutsideSignIn(parts: IdentityParts, provider: OutsideProvider): OutsideSignIn {
  return {
    name: provider.name,
    begin: async (callbackUrl) => {
      try {
        const { url, flow } = await provider.begin(callbackUrl)
        return { url, ticket: sealTicket(parts, flow) }
      } catch (error) {
        parts.log.trouble('the identity provider cannot be used', error)
        return 'oidc_failed'
      }
    },
    finish: async ({ query, ticket }, client) => {
      const flow = ticket === null ? null : openTicket(parts, ticket)
      if (flow === null) return 'oidc_failed'
      // Only a response with this flow's state can cancel it.
      if (query.get('error') === 'access_denied' && query.get('state') === flow.state) return 'oidc_cancelled'
      const identity = await askProvider(parts, () => provider.finish(query.toString(), flow))
      return identity === null ? 'oidc_failed' : enter(parts, identity, client)
    },
  }
}

async function askProvider(
  { log }: IdentityParts,
  ask: () => Promise<OutsideIdentity>,
): Promise<OutsideIdentity | null> {
  try {
    return await ask()
  } catch (error) {
    log.trouble('the response of the identity provider failed validation', error)
    return null
  }
}

async function enter(
  parts: IdentityParts,
  identity: OutsideIdentity,
  client: ClientContext,
): Promise<Entry | OutsideFailure> {
  const user = await findOrMakeUser(parts, identity)
  if (typeof user === 'string') return user
  if (user.isDisabled) return 'oidc_disabled'
  return parts.sessions.begin(user, client, 'oidc')
}

async function findOrMakeUser(
  parts: IdentityParts,
  identity: OutsideIdentity,
): Promise<User | OutsideFailure> {
  const outsideId = `${identity.issuer} ${identity.subject}`
  const known = await parts.store.findUserByOutsideId(outsideId)
  if (known !== null) return known
  const email = normaliseEmail(identity.email ?? '')
  if (email === null || !identity.isEmailVerified) return 'oidc_email_unverified'
  const sameAddress = await parts.store.findUserByEmail(email)
  if (sameAddress !== null) return linkUser(parts, sameAddress, outsideId)
  if (!parts.allowsSignUp) return 'oidc_no_account'
  return makeUser(parts, { email, outsideId, name: identity.name?.trim() || email })
}

/**
 * The address must be verified on both sides. Otherwise an attacker could sign up with the address of another person
 * and wait until that person signs in through the provider, into an account whose password and keys the attacker has.
 */
async function linkUser(parts: IdentityParts, user: User, outsideId: string): Promise<User | OutsideFailure> {
  if (!user.isEmailVerified || user.outsideId !== null) return 'oidc_email_in_use'
  const auditEntry = { actor: actorOfUser(user), action: 'user.linked', subject: user.id }
  const event = parts.audit.event({ ...auditEntry, after: { outside_id: outsideId } })
  await parts.store.changeUser(user.id, { outsideId }, event)
  parts.sessions.forget(user.id)
  return { ...user, outsideId }
}

async function makeUser(
  parts: IdentityParts,
  facts: Pick<User, 'email' | 'name' | 'outsideId'>,
): Promise<User | OutsideFailure> {
  const user = newUser(parts, { ...facts, hasPassword: false, isEmailVerified: true })
  try {
    await makeUserWithAccount(parts, user, null)
    return user
  } catch (error) {
    // Two concurrent sign-ins of the same user.
    if (error instanceof GatewayError) return 'oidc_email_in_use'
    throw error
  }
}

interface Ticket extends OutsideFlow {
  readonly endsAtMs: number
}

// Not stored in a table, but in the browser.
const TICKET: SealedPlace = { table: 'cookies', column: 'oidc', id: '' }

function sealTicket({ secrets, clock }: IdentityParts, flow: OutsideFlow): string {
  const ticket: Ticket = { ...flow, endsAtMs: clock.nowMs() + TICKET_SECONDS * 1_000 }
  return secrets.seal(JSON.stringify(ticket), TICKET)
}

function openTicket({ secrets, clock }: IdentityParts, text: string): OutsideFlow | null {
  try {
    const ticket = JSON.parse(secrets.open(text, TICKET)) as Ticket
    return ticket.endsAtMs > clock.nowMs() ? ticket : null
  } catch {
    return null
  }
}
