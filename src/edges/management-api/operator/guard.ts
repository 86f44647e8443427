import { timingSafeEqual } from 'node:crypto'
import { GatewayError } from '../../../errors/gateway-error.ts'
import type { Endpoint, Exchange } from '../../../serve/ports/exchange.ts'
import type { HeaderFields } from '../../../wire/http-answer.ts'

export type OperatorCheck = (headers: HeaderFields) => boolean

/**
 * Whether a request carries the operator token, of which only the fingerprint is stored. Fingerprints have the same length
 * and are compared in constant time, so timing reveals nothing about the token.
 */
export function operatorCheck(
  expected: { readonly fingerprint: string },
  fingerprint: (token: string) => string,
): OperatorCheck {
  return (headers) => {
    const token = /^Bearer\s+(\S+)$/i.exec(headers.get('authorization') ?? '')?.[1]
    // Read each time, because the token may be replaced while the gateway runs.
    const expectedBytes = Buffer.from(expected.fingerprint)
    return token !== undefined && timingSafeEqual(Buffer.from(fingerprint(token)), expectedBytes)
  }
}

/**
 * The user who is signed in to the console and sent this request; null without a session. Throws when the user is not an
 * operator.
 */
export type OperatorSession = (exchange: Exchange) => Promise<string | null>

/** Counts a wrong token for an address. Returns how long the address must wait before its next try. */
export type NoteWrongToken = (address: string | null) => number

export interface OperatorGuard {
  readonly isOperator: OperatorCheck
  /** When absent, wrong tokens are not counted. */
  readonly noteWrongToken?: NoteWrongToken
  readonly findOperator?: OperatorSession
  /** Resolves when the changes of other nodes are applied here; absent when there are none. */
  readonly catchUp?: () => Promise<void>
}

/** The same endpoint for operators only. Nothing of a request is read before that check. */
export function guardEndpoint(endpoint: Endpoint, guard: OperatorGuard): Endpoint {
  const { isOperator, findOperator } = guard
  const admit = async (exchange: Exchange) => {
    // A change made through one node is visible through all.
    await guard.catchUp?.()
    return endpoint.handle(exchange)
  }
  return {
    ...endpoint,
    handle: async (exchange) => {
      if (isOperator(exchange.headers)) return admit(exchange)
      // A wrong token is refused even when there is a valid session.
      const isTokenSent = exchange.headers.has('authorization')
      const actor = isTokenSent ? null : await findOperator?.(exchange)
      if (!actor) throw refuseOperator(exchange, guard)
      exchange.actor = actor
      return admit(exchange)
    },
  }
}

/** The error for a request without the right token. Requests with the right one never get here, whatever their address. */
export function refuseOperator(
  { headers, address }: Pick<Exchange, 'headers' | 'address'>,
  { noteWrongToken }: Pick<OperatorGuard, 'noteWrongToken'>,
): GatewayError {
  if (!headers.has('authorization')) {
    return new GatewayError('auth_required', 'Send the operator token as "Authorization: Bearer <token>".')
  }
  const waitMs = noteWrongToken?.(address) ?? 0
  if (waitMs === 0) return new GatewayError('auth_invalid', 'The operator token is not valid.')
  const seconds = Math.ceil(waitMs / 1_000)
  const message = `Too many wrong operator tokens from this address. Try again in ${seconds} seconds.`
  return new GatewayError('rate_limit_exceeded', message, { headers: { 'retry-after': String(seconds) } })
}
