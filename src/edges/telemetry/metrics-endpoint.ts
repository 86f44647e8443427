import Type from 'typebox'
import type { GatewayError } from '../../errors/gateway-error.ts'
import type { Endpoint, Exchange } from '../../serve/ports/exchange.ts'
import type { Contract } from '../../vocabulary/runtime/contract.ts'
import type { HeaderFields } from '../../wire/http-answer.ts'
import type { Gauges, Metrics } from './metrics.ts'

export interface MetricsParts {
  readonly isOperator: (headers: HeaderFields) => boolean
  /** The error for callers without the operator token. */
  readonly refuse: (exchange: Exchange) => GatewayError
  readGauges(): Omit<Gauges, 'residentBytes' | 'cpuSeconds'>
}

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
  errors: [401, 429, 500],
}

/** `/metrics` in the Prometheus text format. Needs the operator token. */
export function metricsEndpoint(
  metrics: Metrics,
  { isOperator, refuse, readGauges }: MetricsParts,
): Endpoint {
  return {
    method: 'GET',
    path: '/metrics',
    contract,
    isServedWhileClosing: true,
    handle: (exchange) => {
      if (!isOperator(exchange.headers)) throw refuse(exchange)
      const { user, system } = process.cpuUsage()
      const body = metrics.render({
        ...readGauges(),
        residentBytes: process.memoryUsage.rss(),
        cpuSeconds: (user + system) / 1_000_000,
      })
      return new Response(body, { headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' } })
    },
  }
}
