import { GatewayError } from '../../../errors/gateway-error.ts'

// A conversation grows with every reply that continues it, and it is sent in one piece.
const MAX_BODY_CHARACTERS = 64 * 1_024 * 1_024

/** The text of a body that the gateway has put together. */
export function writeBody(body: unknown): string {
  const text = JSON.stringify(body)
  if (text.length <= MAX_BODY_CHARACTERS) return text
  throw new GatewayError('request_too_large', 'The conversation that this request continues is too long.')
}
