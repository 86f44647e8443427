import type { TSchema } from 'typebox'
import type { Right } from '../words.ts'

/**
 * Who may call an endpoint:
 * - `public`: anyone;
 * - `key`: callers with an API key;
 * - `operator`: callers with the operator token, and operators who are signed in to the console;
 * - `signed-in`: every user of the console, about themselves;
 * - a right: members of the account in the path whose role has it, and operators.
 */
export type Access = 'public' | 'key' | 'operator' | 'signed-in' | Right

/** The request and answer of an endpoint. Validation and the API document follow from it. */
export interface Contract {
  /** Unique: the operation's id in the API document. */
  readonly id: string
  readonly tag: string
  readonly summary: string
  readonly description?: string
  readonly access: Access
  /** The path in the API document, if it differs from the server's. */
  readonly documentPath?: string
  /** Header, query and path parameters. Path parameters are optional here. */
  readonly parameters?: readonly Parameter[]
  readonly body?: BodyContract
  readonly answer: AnswerContract
  /** The statuses of errors; by default those of every endpoint of its kind. */
  readonly errors?: readonly number[]
  /** Other fields beside `error` in the body of an error. */
  readonly errorBody?: { readonly name: string; readonly fields: Readonly<Record<string, TSchema>> }
  /** Further operations of the same endpoint, selected by the end of the path. Each has a `documentPath`. */
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
  /** Items of its lists that are checked one by one, by name. */
  readonly kinds?: Readonly<Record<string, TSchema>>
}

export interface AnswerContract {
  readonly description: string
  /** Its name among the schemas of the API document; null for an answer that is not JSON. */
  readonly name: string | null
  readonly schema: TSchema
  readonly example: unknown
  readonly contentType?: string
  /** The answer when the request asks for a stream. */
  readonly stream?: string
  /** The answer when the request asks for a table. */
  readonly table?: string
  /** Names of response headers besides those of every answer. */
  readonly headers?: readonly string[]
  readonly status?: number
}
