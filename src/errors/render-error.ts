import { ERROR_CODES } from './codes.ts'
import { type ErrorFacts, GatewayError } from './gateway-error.ts'

/** The body of every error response; `type` always equals `code`. */
export interface ErrorEnvelope {
  readonly error: {
    readonly message: string
    readonly type: string
    readonly code: string
    readonly param: string | null
    /** Only with errors that programs of a format look for by more than the code. */
    readonly details?: ErrorFacts
  }
}

/** Adds what a wire format's own clients look for: members around the envelope, and words to the message. */
export type EnvelopeDress = (envelope: ErrorEnvelope, requestId: string) => object

/** Whatever was thrown, as something that may be shown: only a GatewayError's message is safe to show. */
export function asGatewayError(thrown: unknown): GatewayError {
  if (thrown instanceof GatewayError) return thrown
  return new GatewayError('internal_error', 'The gateway failed to handle this request.', { cause: thrown })
}

export function errorEnvelope(error: GatewayError): ErrorEnvelope {
  const { message, code, param, facts } = error
  return { error: { message, type: code, code, param, ...(facts !== null && { details: facts }) } }
}

/** A refusal as it is answered. */
export interface RenderedError {
  readonly status: number
  readonly headers: Record<string, string>
  readonly body: string
}

/** Turns a refusal into an answer. The only place where an error status and body are written. */
export function renderError(error: GatewayError, requestId: string, dress?: EnvelopeDress): RenderedError {
  const envelope = errorEnvelope(error)
  const body = dress ? dress(envelope, requestId) : envelope
  return {
    status: ERROR_CODES[error.code].status,
    headers: { 'content-type': 'application/json', ...error.headers },
    body: JSON.stringify(body),
  }
}
