import { timingSafeEqual } from 'node:crypto'
import { GatewayError } from '../../../errors/gateway-error.ts'
import type { Endpoint, Exchange } from '../../../serve/ports/exchange.ts'
import type { HeaderFields } from '../../../wire/http-answer.ts'

export type OperatorCheck = (headers: HeaderFields) => boolean

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

/**
 * Who is signed in to the console and has sent this request themselves; null when nobody is. Refuses somebody who is
 * no operator.
 */
export type OperatorSession = (exchange: Exchange) => Promise<string | null>

/** Counts a wrong token for an address, and gives how long whoever is there waits for the next word about one. */
export type NoteWrongToken = (address: string | null) => number

export interface OperatorGuard {
  readonly isOperator: OperatorCheck
  /** Absent: wrong tokens are not counted. */
  readonly noteWrongToken?: NoteWrongToken
  readonly findOperator?: OperatorSession
  /** Resolves when whatever other nodes have changed is in force here; absent where there are none. */
  readonly catchUp?: () => Promise<void>
}

/** The same endpoint for operators only; nothing of a request is looked at before that is certain. */
export function guardEndpoint(endpoint: Endpoint, guard: OperatorGuard): Endpoint {
  const { isOperator, findOperator } = guard
  const admit = async (exchange: Exchange) => {
    // What was changed through one node is seen through all.
    await guard.catchUp?.()
    return endpoint.handle(exchange)
  }
  return {
    ...endpoint,
    handle: async (exchange) => {
      if (isOperator(exchange.headers)) return admit(exchange)
      // Whoever sends a token means it: a wrong one is refused even when a session would do.
      const isTokenSent = exchange.headers.has('authorization')
      const actor = isTokenSent ? null : await findOperator?.(exchange)
      if (!actor) throw refuseOperator(exchange, guard)
      exchange.actor = actor
      return admit(exchange)
    },
  }
}

/** What is said to a request without the right token. The right one never comes here, whatever else its address sends. */
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
  const message = `Too many wrong operator tokens from this address; try again in ${seconds} seconds.`
  return new GatewayError('rate_limit_exceeded', message, { headers: { 'retry-after': String(seconds) } })
}
