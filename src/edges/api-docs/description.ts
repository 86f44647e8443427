import type { HttpMethod } from '../../gateway/ports/exchange.ts'
import type { JsonSchema } from './clean-schema.ts'

/** Everything the API document tells, before it is laid out as OpenAPI. */
export interface ApiDescription {
  readonly title: string
  readonly version: string
  readonly description: string
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly securitySchemes: Readonly<Record<string, object>>
  readonly schemas: Readonly<Record<string, JsonSchema>>
  readonly operations: readonly OperationDescription[]
  readonly errorFamilies: Readonly<Record<string, ErrorFamily>>
  /** What each error code means, in a sentence. */
  readonly errors: readonly ErrorDescription[]
}

export interface OperationDescription {
  /** As the server has it, such as `PUT /operator/v1/models/*`. */
  readonly endpoint: `${HttpMethod} /${string}`
  /** As readers see it; needed only where the server's own path does not tell all. */
  readonly path?: string
  readonly id: string
  readonly tag: string
  readonly summary: string
  readonly description?: string
  /** Names of security schemes of which one is enough; none: it is open to everybody. */
  readonly security: readonly string[]
  readonly parameters?: readonly ParameterDescription[]
  readonly body?: BodyDescription
  readonly answer: AnswerDescription
  readonly errors?: { readonly family: string; readonly statuses: readonly number[] }
}

export interface ParameterDescription {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly description: string
  readonly schema?: JsonSchema
  readonly example?: unknown
}

export interface BodyDescription {
  /** The name of one of the schemas. */
  readonly schema: string
  readonly example: unknown
  readonly isOptional?: true
  readonly contentType?: string
}

export interface AnswerDescription {
  readonly description: string
  /** The name of one of the schemas; null for an answer that is not JSON. */
  readonly schema: string | null
  readonly contentType?: string
  /** What comes instead when the request asks for a stream. */
  readonly stream?: string
  /** What comes instead when the request asks for a table. */
  readonly table?: string
  readonly headers?: readonly HeaderName[]
  /** Absent when nothing of the kind exists yet. */
  readonly status?: number
}

/** One way in which error bodies are dressed. */
export interface ErrorFamily {
  readonly schema: string
  /** Sent with every refusal of a known caller; told once, where a limit is what the refusal is about. */
  readonly limitHeaders: readonly HeaderName[]
  /** An error as a client of this family sees it. */
  example(error: ErrorDescription): unknown
}

export interface ErrorDescription {
  readonly code: string
  readonly status: number
  readonly retry: string
  readonly meaning: string
}

const REQUESTS = 'requests per minute'
const TOKENS = 'tokens per minute, counted by the estimate made when a request arrives'

/** Every response header the document speaks of. */
export const HEADERS = {
  'x-request-id': ['string', 'Names this request in logs and settlements.'],
  'request-id': ['string', 'The same as `x-request-id`, under the name some clients look for.'],
  'x-ratelimit-limit-requests': ['integer', `The limit of this key: ${REQUESTS}.`],
  'x-ratelimit-remaining-requests': ['integer', 'Requests left in the present window.'],
  'x-ratelimit-reset-requests': ['integer', 'Seconds until the window of requests is new.'],
  'x-ratelimit-limit-tokens': ['integer', `The limit of this key: ${TOKENS}.`],
  'x-ratelimit-remaining-tokens': ['integer', 'Tokens left in the present window.'],
  'x-ratelimit-reset-tokens': ['integer', 'Seconds until the window of tokens is new.'],
  'retry-after': ['integer', 'Whole seconds to wait before the next try, 1 to 60. Present with status 429.'],
  'x-should-retry': ['string', '`false` when the gateway has tried other suppliers already.'],
  'x-gateway-route': ['string', 'The supplier that served the request.'],
  'x-gateway-attempts': ['integer', 'How many suppliers were tried, the one that served included.'],
  'x-gateway-dropped-params': [
    'string',
    'Parameters the supplier cannot express and that were left out, separated by commas.',
  ],
} as const satisfies Readonly<Record<string, readonly [type: string, description: string]>>

export type HeaderName = keyof typeof HEADERS

export const ID_HEADERS = ['x-request-id', 'request-id'] as const
export const REQUEST_LIMIT_HEADERS = [
  'x-ratelimit-limit-requests',
  'x-ratelimit-remaining-requests',
  'x-ratelimit-reset-requests',
] as const
export const TOKEN_LIMIT_HEADERS = [
  'x-ratelimit-limit-tokens',
  'x-ratelimit-remaining-tokens',
  'x-ratelimit-reset-tokens',
] as const
export const ROUTE_HEADERS = ['x-gateway-route', 'x-gateway-attempts', 'x-gateway-dropped-params'] as const
