import type { Static, TSchema } from 'typebox'
import type { Exchange } from '../../../gateway/ports/exchange.ts'
import type { Door, Entry, Identity, Visitor, Whereabouts } from '../../../gateway/ports/identity.ts'
import {
  clearCookie,
  DEVICE_COOKIE,
  SESSION_COOKIE,
  VISIT_COOKIE,
  writeCookie,
} from '../../../rules/access/cookies.ts'
import { DEVICE_MS, LONGEST_MS } from '../../../rules/access/session-life.ts'
import { textReader } from '../../../wire/read-shape.ts'
import type { AccountApiSurroundings } from './account-parts.ts'

export interface ConsoleParts {
  readonly identity: Identity
  /** Null when there is no such account. */
  readonly accountName: (id: string) => string | null
  /** Where browsers find this gateway; null when nobody has said so. */
  readonly publicUrl: string | null
  readonly version: string
  readonly account: AccountApiSurroundings
  /** Resolves when whatever other nodes have changed is in force here; absent where there are none. */
  readonly catchUp?: () => Promise<void>
}

// Some of it is read before anybody knows who sends it, and no form of the console fills more.
const LARGEST_BODY_BYTES = 64 * 1_024

export function bodyReader<const Schema extends TSchema>(
  schema: Schema,
): (exchange: Exchange) => Promise<Static<Schema>> {
  const read = textReader(schema)
  return async (exchange) => read(await exchange.readText(LARGEST_BODY_BYTES))
}

export function whereaboutsOf({ address, headers }: Exchange): Whereabouts {
  return { address, userAgent: headers.get('user-agent') }
}

/** What the page has to know of whoever is signed in. */
export function describeSession(parts: ConsoleParts, whose: Visitor | string): object {
  const { identity, accountName, version } = parts
  const visitor = typeof whose === 'string' ? null : whose
  return {
    user: visitor && describeUser(visitor),
    accounts: (visitor?.memberships ?? []).map(({ accountId, role }) => ({
      id: accountId,
      name: accountName(accountId) ?? accountId,
      role,
    })),
    csrf_token: identity.door.forgeryToken(whose),
    sign_up: identity.allowsSignUp,
    oidc: identity.outside && { name: identity.outside.name },
    version,
  }
}

function describeUser({ user }: Visitor): object {
  return {
    id: user.id,
    email: user.email,
    name: user.name,
    is_operator: user.isOperator,
    totp_enabled: user.hasSecondFactor,
    has_password: user.hasPassword,
  }
}

/** The answer to a sign-in: the session as the page sees it, and the cookie that is all there is to it. */
export function answerEntry(parts: ConsoleParts, entry: Entry): Response {
  return withEntry(parts, entry, Response.json(describeSession(parts, entry.visitor)))
}

/** A new session is nothing but its cookies. */
export function entryCookies({ token, device }: Entry, door: Door): readonly string[] {
  const session = { name: SESSION_COOKIE, value: token, maxAgeSeconds: LONGEST_MS / 1_000 }
  const known = { name: DEVICE_COOKIE, value: device, maxAgeSeconds: DEVICE_MS / 1_000 }
  return [writeCookie(session, door), writeCookie(known, door), clearCookie(VISIT_COOKIE, door)]
}

export function withEntry({ identity }: ConsoleParts, entry: Entry, response: Response): Response {
  for (const cookie of entryCookies(entry, identity.door)) response.headers.append('set-cookie', cookie)
  return response
}

export function answerSignedOut({ identity }: ConsoleParts, body: object = {}): Response {
  const response = Response.json(body)
  response.headers.append('set-cookie', clearCookie(SESSION_COOKIE, identity.door))
  return response
}
