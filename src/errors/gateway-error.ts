import { ERROR_CODES, type ErrorCode } from './codes.ts'

export type ErrorFacts = Readonly<Record<string, unknown>>

/** The limits that a caller can reach, for metrics. */
export const LIMIT_NAMES = [
  'account_requests',
  'account_tokens',
  'key_requests',
  'key_tokens',
  'key_spending',
  'balance',
  'look_ups',
  'refused_requests',
] as const
export type LimitName = (typeof LIMIT_NAMES)[number]

export interface ErrorDetails {
  /** The request field at fault, as a path such as `messages[0].role`. */
  readonly param?: string
  /** Facts for programs, in the words of the client's format; shown beside the message. */
  readonly facts?: ErrorFacts
  /** The limit of the caller that was reached. */
  readonly limit?: LimitName | null
  /** Extra response headers, lower-case names. */
  readonly headers?: Readonly<Record<string, string>>
  /** What happened underneath; for the log, never for the client. */
  readonly cause?: unknown
}

/** A refusal with a reason for the caller. Its message is shown to clients: never put a secret or an internal in it. */
export class GatewayError extends Error {
  readonly code: ErrorCode
  readonly param: string | null
  readonly facts: ErrorFacts | null
  readonly limit: LimitName | null
  readonly headers: Readonly<Record<string, string>>

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, { cause: details.cause })
    this.name = 'GatewayError'
    this.code = code
    this.param = details.param ?? null
    this.facts = details.facts ?? null
    this.limit = details.limit ?? null
    this.headers = details.headers ?? {}
  }

  get status(): number {
    return ERROR_CODES[this.code].status
  }

  /** The same refusal with more headers, for steps that know more about the caller than the one that refused. */
  withHeaders(headers: Readonly<Record<string, string>>): GatewayError {
    return new GatewayError(this.code, this.message, {
      headers: { ...headers, ...this.headers },
      cause: this.cause,
      limit: this.limit,
      ...(this.param !== null && { param: this.param }),
      ...(this.facts !== null && { facts: this.facts }),
    })
  }
}
