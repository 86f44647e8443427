import { timingSafeEqual } from 'node:crypto'
import { GatewayError } from '../../errors/gateway-error.ts'
import type { Endpoint } from '../../gateway/ports/exchange.ts'

export type OperatorCheck = (headers: Headers) => boolean

/**
 * Whether a request carries the operator token, of which only the fingerprint is known. Fingerprints have one length
 * and are compared in constant time, so an answer's delay tells nothing of the token.
 */
export function operatorCheck(expected: string, fingerprint: (token: string) => string): OperatorCheck {
  const expectedBytes = Buffer.from(expected)
  return (headers) => {
    const token = /^Bearer\s+(\S+)$/i.exec(headers.get('authorization') ?? '')?.[1]
    return token !== undefined && timingSafeEqual(Buffer.from(fingerprint(token)), expectedBytes)
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
