import { ERROR_CODES, type ErrorCode } from './codes.ts'

export type ErrorFacts = Readonly<Record<string, unknown>>

export interface ErrorDetails {
  /** The request field at fault, as a path such as `messages[0].role`. */
  readonly param?: string
  /** Facts for programs, in the words of the client's format; shown beside the message. */
  readonly facts?: ErrorFacts
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
  readonly headers: Readonly<Record<string, string>>

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, { cause: details.cause })
    this.name = 'GatewayError'
    this.code = code
    this.param = details.param ?? null
    this.facts = details.facts ?? null
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
      ...(this.param !== null && { param: this.param }),
      ...(this.facts !== null && { facts: this.facts }),
    })
  }
}
