import type { Visitor } from '../../../manage/ports/identity.ts'
import type { Exchange, HttpMethod, Reply } from '../../../serve/ports/exchange.ts'
import type { Contract } from '../../../vocabulary/runtime/contract.ts'
import type { Fields } from '../../../vocabulary/shape.ts'
import type { Role } from '../../../vocabulary/user.ts'
import { type AnyDefinition, bind, type Definition } from '../endpoint.ts'

export const CONSOLE_PATH = '/console/api'
/** Some of it is read before anybody knows who sends it, and no form of the console fills more. */
export const MAX_FORM_BYTES = 64 * 1_024
/** What every path about one account begins with. */
export const ACCOUNT_PATH = '/accounts/:account'

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

/** What the guard finds out about whoever asks, by who may ask. */
interface Visits {
  readonly public: PublicVisit
  readonly 'signed-in': Visit
  readonly operator: Visit
  readonly member: AccountVisit
  readonly owner: AccountVisit
}

export type Access = keyof Visits

/** Who is a member of what cannot be told from a path that names no account. */
type PathFor<A extends Access> = A extends 'member' | 'owner' ? `${typeof ACCOUNT_PATH}${string}` : string

/** Checks the types of a console definition: its `access` says what `visit` its handler is given. */
export function consoleDefiner<Context>() {
  return <
    const A extends Access,
    const Path extends PathFor<A>,
    Query extends Fields,
    Input,
    BodyValue,
    Result,
    Shown,
  >(
    definition: Definition<Context, Path, Query, Input, BodyValue, Result, Shown, Visits[A]> & {
      readonly access: A
    },
  ) => definition
}

/** One thing the console can ask. It is given who asks, found out and checked by the guard. */
export type ConsoleEndpoint = {
  [A in Access]: {
    readonly method: HttpMethod
    /** Behind `/console/api`. */
    readonly path: string
    readonly access: A
    /** Absent for what the API document does not tell. */
    readonly contract?: Contract
    handle(exchange: Exchange, visit: Visits[A]): Response | Reply | Promise<Response | Reply>
  }
}[Access]

type AnyConsoleDefinition<Context> = AnyDefinition<Context> & { readonly access: Access }

/** The definitions with what they work with. They are served by no other way than through the guard. */
export function bindConsole<Context>(
  definitions: readonly AnyConsoleDefinition<Context>[],
  context: Context,
): ConsoleEndpoint[] {
  return definitions.map((definition) => ({
    ...bind(definition, context, ''),
    access: definition.access,
  }))
}
