import { createHash, timingSafeEqual } from 'node:crypto'
import { GatewayError } from '../../errors/gateway-error.ts'
import type { Endpoint } from '../../gateway/ports/exchange.ts'

export type OperatorCheck = (headers: Headers) => boolean

/** Whether a request carries this token as its bearer token. */
export function operatorTokenCheck(token: string): OperatorCheck {
  const expected = digest(token)
  return (headers) => {
    const given = /^bearer +(\S+) *$/i.exec(headers.get('authorization') ?? '')?.[1]
    // Digests have one length and are compared in constant time, so an answer's delay tells nothing of the token.
    return given !== undefined && timingSafeEqual(digest(given), expected)
  }
}

/** The same endpoint for operators only; nothing of a request is looked at before that is certain. */
export function guardEndpoint(endpoint: Endpoint, isOperator: OperatorCheck): Endpoint {
  return {
    ...endpoint,
    handle: (exchange) => {
      if (!isOperator(exchange.headers)) throw refusal(exchange.headers)
      return endpoint.handle(exchange)
    },
  }
}

function refusal(headers: Headers): GatewayError {
  return headers.has('authorization')
    ? new GatewayError('auth_invalid', 'The operator token is not valid.')
    : new GatewayError('auth_required', 'Send the operator token as "Authorization: Bearer <token>".')
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
