import { timingSafeEqual } from 'node:crypto'
import Type from 'typebox'
import { GatewayError } from '../../../errors/gateway-error.ts'
import type { Endpoint, Exchange } from '../../../serve/ports/exchange.ts'
import type { Contract } from '../../../vocabulary/runtime/contract.ts'
import type { MaybePromise } from '../../../vocabulary/runtime/maybe-promise.ts'
import type { HeaderFields } from '../../../wire/http-answer.ts'
import { type Readings, renderReadings } from './readings.ts'

const contract: Contract = {
  id: 'showMetrics',
  tag: 'Service',
  summary: 'Show counters and gauges in the Prometheus text format',
  access: 'operator',
  answer: {
    description: 'Metrics.',
    name: null,
    schema: Type.String(),
    example: 'turnpike_live_streams 3\n',
    contentType: 'text/plain',
  },
  errors: [401, 429, 500, 503],
}

export interface MetricsEndpointParts {
  /** Throws when the caller may not see the metrics. */
  readonly check: (exchange: Exchange) => void
  readonly read: () => MaybePromise<Readings>
}

/** `/metrics` in the Prometheus text format. */
export function metricsEndpoint({ check, read }: MetricsEndpointParts): Endpoint {
  return {
    method: 'GET',
    path: '/metrics',
    contract,
    isServedWhileClosing: true,
    handle: async (exchange) => {
      check(exchange)
      const body = renderReadings(await read())
      return new Response(body, { headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' } })
    },
  }
}

/** Whether a request carries the metrics token. Hashes are compared, which takes the same time for every wrong token. */
export function metricsTokenCheck(token: string | null): (headers: HeaderFields) => boolean {
  if (token === null) return () => false
  const expected = hash(token)
  return (headers) => {
    const given = /^Bearer\s+(\S+)$/i.exec(headers.get('authorization') ?? '')?.[1]
    return given !== undefined && timingSafeEqual(hash(given), expected)
  }
}

function hash(token: string): Uint8Array {
  return new Bun.CryptoHasher('sha256').update(token).digest()
}

/** The rule of the metrics port: the metrics token, or no token where the port is open to this machine only. */
export function checkOnMetricsPort(token: string | null): MetricsEndpointParts['check'] {
  if (token === null) return () => {}
  const isKnown = metricsTokenCheck(token)
  return ({ headers }) => {
    if (isKnown(headers)) return
    throw headers.has('authorization')
      ? new GatewayError('auth_invalid', 'The metrics token is not valid.')
      : new GatewayError('auth_required', 'Send the metrics token as "Authorization: Bearer <token>".')
  }
}
