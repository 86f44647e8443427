import type { Visitor } from '../../../manage/ports/identity.ts'
import type { Exchange, HttpMethod, Reply } from '../../../serve/ports/exchange.ts'
import type { Contract } from '../../../vocabulary/runtime/contract.ts'
import type { Fields } from '../../../vocabulary/shape.ts'
import type { Right, Role } from '../../../vocabulary/words.ts'
import { type AnyDefinition, bind, type Definition } from '../endpoint.ts'

export const CONSOLE_PATH = '/console/api'
/** Some bodies are read before the sender is known. No form of the console is larger. */
export const MAX_FORM_BYTES = 64 * 1_024
/** The start of every path about one account. */
export const ACCOUNT_PATH = '/accounts/:account'

export interface PublicVisit {
  readonly visitor: Visitor | null
}

export interface Visit {
  readonly visitor: Visitor
  /** The actor in audit events. */
  readonly actor: string
}

export interface AccountVisit extends Visit {
  readonly accountId: string
  /** `operator` for an operator who is not a member. */
  readonly role: Role | 'operator'
}

/** What the guard passes to a handler, by access. */
type Visits = {
  readonly public: PublicVisit
  readonly 'signed-in': Visit
  readonly operator: Visit
} & { readonly [R in Right]: AccountVisit }

export type Access = keyof Visits

/** Membership can only be checked when the path names the account. */
type PathFor<A extends Access> = A extends Right ? `${typeof ACCOUNT_PATH}${string}` : string

/** Checks the types of a console definition: its `access` determines the `visit` of its handler. */
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

/** An endpoint of the console. The guard determines and checks the caller. */
export type ConsoleEndpoint = {
  [A in Access]: {
    readonly method: HttpMethod
    /** Relative to `/console/api`. */
    readonly path: string
    readonly access: A
    /** Absent for endpoints that are not in the API document. */
    readonly contract?: Contract
    handle(exchange: Exchange, visit: Visits[A]): Response | Reply | Promise<Response | Reply>
  }
}[Access]

type AnyConsoleDefinition<Context> = AnyDefinition<Context> & { readonly access: Access }

/** Definitions with their context. They are served only through the guard. */
export function bindConsole<Context>(
  definitions: readonly AnyConsoleDefinition<Context>[],
  context: Context,
): ConsoleEndpoint[] {
  return definitions.map((definition) => ({
    ...bind(definition, context, ''),
    access: definition.access,
  }))
}
