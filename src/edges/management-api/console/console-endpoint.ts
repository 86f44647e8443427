import type { Exchange, HttpMethod, Reply } from '../../../gateway/ports/exchange.ts'
import type { Role, Visitor } from '../../../gateway/ports/identity.ts'

export const CONSOLE_PATH = '/console/api'
/** What every path about one account begins with. */
export const ACCOUNT_PATH = '/accounts/:account'

/**
 * Who may ask:
 * - `public`: everybody, signed in or not;
 * - `signed-in`: every user, about themselves;
 * - `member`: members and owners of the account in the path, and operators;
 * - `owner`: owners of the account in the path, and operators;
 * - `operator`: operators.
 */
export type Access = 'public' | 'signed-in' | 'member' | 'owner' | 'operator'

export interface PublicVisit {
  readonly visitor: Visitor | null
}

export interface Visit {
  readonly visitor: Visitor
  /** Who the audit says did it. */
  readonly actor: string
}

export interface AccountVisit extends Visit {
  readonly accountId: string
  /** `operator` for one who is no member. */
  readonly role: Role | 'operator'
}

type Answer = Response | Reply | Promise<Response | Reply>

interface Address {
  readonly method: HttpMethod
  /** Behind `/console/api`. */
  readonly path: string
}

/** One thing the console can ask. It is given who asks, found out and checked by the guard. */
export type ConsoleEndpoint = Address &
  (
    | { readonly access: 'public'; handle(exchange: Exchange, visit: PublicVisit): Answer }
    | { readonly access: 'signed-in' | 'operator'; handle(exchange: Exchange, visit: Visit): Answer }
    | {
        readonly access: 'member' | 'owner'
        handle(exchange: Exchange, visit: AccountVisit): Answer
      }
  )
