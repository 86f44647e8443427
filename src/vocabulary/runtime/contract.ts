import type { TSchema } from 'typebox'

/**
 * Who may call an endpoint:
 * - `public`: anyone;
 * - `key`: callers with an API key;
 * - `operator`: callers with the operator token, and operators who are signed in to the console;
 * - `signed-in`: every user of the console, about themselves;
 * - `member`, `owner`: members or owners of the account in the path, and operators.
 */
export type Access = 'public' | 'key' | 'operator' | 'signed-in' | 'member' | 'owner'

/** What an endpoint takes and answers. Validation and the API document follow from it. */
export interface Contract {
  /** Unique: the operation's id in the API document. */
  readonly id: string
  readonly tag: string
  readonly summary: string
  readonly description?: string
  readonly access: Access
  /** The path for readers, where the server's own does not tell all. */
  readonly documentPath?: string
  /** Header, query and path parameters; a path parameter needs no entry of its own. */
  readonly parameters?: readonly Parameter[]
  readonly body?: BodyContract
  readonly answer: AnswerContract
  /** The statuses of refusals; absent: those every endpoint of its kind has. */
  readonly errors?: readonly number[]
  /** What stands around `error` in the body of a refusal; absent: nothing does. */
  readonly errorBody?: { readonly name: string; readonly fields: Readonly<Record<string, TSchema>> }
  /** Further operations of the same endpoint, told apart by the end of the path: each has a `documentPath`. */
  readonly also?: readonly Contract[]
}

export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly description: string
  readonly schema?: TSchema
  readonly example?: unknown
}

export interface BodyContract {
  /** Its name among the schemas of the API document. */
  readonly name: string
  readonly schema: TSchema
  readonly example: unknown
  readonly isOptional?: boolean
  readonly contentType?: string
  /** What stands in its lists and is checked one by one, by name. */
  readonly kinds?: Readonly<Record<string, TSchema>>
}

export interface AnswerContract {
  readonly description: string
  /** Its name among the schemas of the API document; null for an answer that is not JSON. */
  readonly name: string | null
  readonly schema: TSchema
  readonly example: unknown
  readonly contentType?: string
  /** What comes instead when the request asks for a stream. */
  readonly stream?: string
  /** What comes instead when the request asks for a table. */
  readonly table?: string
  /** Names of response headers besides those of every answer. */
  readonly headers?: readonly string[]
  readonly status?: number
}
