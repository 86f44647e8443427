import type { Static, TSchema } from 'typebox'
import type { ClientContext, Door, Entry, Identity, Visitor } from '../../../manage/ports/identity.ts'
import {
  clearCookie,
  DEVICE_COOKIE,
  DEVICE_MS,
  LONGEST_MS,
  SESSION_COOKIE,
  VISIT_COOKIE,
  writeCookie,
} from '../../../rules/access/console-session.ts'
import type { Exchange } from '../../../serve/ports/exchange.ts'
import type { SessionState } from '../../../vocabulary/user.ts'
import { textReader } from '../../../wire/shapes/read-shape.ts'
import type { AccountApiParts } from './account/parts.ts'
import { MAX_FORM_BYTES } from './console-endpoint.ts'

export interface ConsoleParts {
  readonly identity: Identity
  /** null when there is no such account. */
  readonly accountName: (id: string) => string | null
  /** The public address of this gateway; null when it is not configured. */
  readonly publicUrl: string | null
  readonly version: string
  readonly account: Omit<AccountApiParts, 'door'>
  /** Resolves when the changes of other nodes are applied here; absent when there are none. */
  readonly catchUp?: () => Promise<void>
}

export function bodyReader<const Schema extends TSchema>(
  schema: Schema,
): (exchange: Exchange) => Promise<Static<Schema>> {
  const read = textReader(schema)
  return async (exchange) => read(await exchange.readText(MAX_FORM_BYTES))
}

export function clientContextOf({ address, headers }: Exchange): ClientContext {
  return { address, userAgent: headers.get('user-agent') }
}

/** The session state that the page needs. */
export function describeSession(parts: ConsoleParts, whose: Visitor | string): SessionState {
  const { identity, accountName, version } = parts
  const visitor = typeof whose === 'string' ? null : whose
  const memberships = visitor?.memberships ?? []
  return {
    user: visitor?.user ?? null,
    accounts: memberships.map((membership) => ({
      ...membership,
      name: accountName(membership.accountId) ?? membership.accountId,
    })),
    csrfToken: identity.door.forgeryToken(whose),
    allowsSignUp: identity.allowsSignUp,
    mailsPasswords: identity.mailsPasswords,
    outside: identity.outside,
    version,
  }
}

/** The cookies of a new session. */
export function entryCookies({ token, device }: Entry, door: Door): readonly string[] {
  const session = { name: SESSION_COOKIE, value: token, maxAgeSeconds: LONGEST_MS / 1_000 }
  const known = { name: DEVICE_COOKIE, value: device, maxAgeSeconds: DEVICE_MS / 1_000 }
  return [writeCookie(session, door), writeCookie(known, door), clearCookie(VISIT_COOKIE, door)]
}
