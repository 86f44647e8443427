import packageFile from '../../../package.json' with { type: 'json' }
import type { BodyBudget } from '../../edges/http-server/body-budget.ts'
import { type HttpServer, startServer } from '../../edges/http-server/serve.ts'
import { type OperatorCheck, refuseOperator } from '../../edges/management-api/operator/index.ts'
import { SettingError, type Settings } from '../../edges/settings/settings.ts'
import { watchLoopLag } from '../../edges/telemetry/metrics/loop-lag.ts'
import type { LimitUse } from '../../edges/telemetry/metrics/metrics.ts'
import {
  checkOnMetricsPort,
  metricsEndpoint,
  metricsTokenCheck,
} from '../../edges/telemetry/metrics/metrics-endpoint.ts'
import { readProcessGauges } from '../../edges/telemetry/metrics/process-gauges.ts'
import type { Readings } from '../../edges/telemetry/metrics/readings.ts'
import { accountLimits } from '../../rules/accounts/tiers.ts'
import { addCapacity } from '../../serve/admission/capacity.ts'
import type { Gateway } from '../../serve/gateway.ts'
import type { WindowDemand } from '../../serve/ports/admissions.ts'
import type { Endpoint, Exchange } from '../../serve/ports/exchange.ts'
import type { MaybePromise } from '../../vocabulary/runtime/maybe-promise.ts'
import { readNodeGauges } from '../cluster.ts'
import type { Services } from '../services.ts'
import type { SystemServices } from '../system-services.ts'
import type { Role } from '../workers/role.ts'
import { readSupplyGauges } from './supply-gauges.ts'

export interface MeteredParts {
  readonly services: Services
  readonly gateway: Gateway
  readonly bodyBudget: BodyBudget
  /** Known only after the endpoints are. */
  readonly server: () => HttpServer
}

/** Reads the metrics of this process. */
export function metricsReader(
  settings: Settings,
  system: SystemServices,
  { services, gateway, bodyBudget, server }: MeteredParts,
): () => Readings {
  const { metrics, admissions, router, configuration, journal, sinks, refusedRequests } = services
  return () =>
    metrics.read({
      liveStreams: gateway.streams.size,
      journalWaiting: journal.waiting,
      connections: server().connectionGauges,
      backgroundResponses: gateway.background.size,
      bodies: { bytes: bodyBudget.heldBytes, maxBytes: settings.maxHeldBodyBytes },
      holds: admissions.openHolds(),
      supply: readSupplyGauges({ supply: configuration.current().supply, router, admissions }),
      balanceOf: (id) => (admissions.knowsBalance?.(id) === false ? null : admissions.balanceNano(id)),
      limitsOf: (id) => readLimitUse(services, id, system.clock.nowMs()),
      sinks: sinks.counters.read(),
      refusalsDropped: refusedRequests.dropped,
      process: readProcessGauges(packageFile.version),
      ...readNodeGauges(settings, system, services),
    })
}

function readLimitUse({ admissions, configuration }: Services, accountId: string, nowMs: number): LimitUse[] {
  const { accounts, tiers } = configuration.current()
  const account = accounts.get(accountId)
  if (account === undefined) return []
  const windows: WindowDemand[] = []
  const limits = accountLimits(account, nowMs, tiers)
  addCapacity(windows, { owner: `account:${accountId}`, limits, tokens: 0 })
  return admissions
    .read(windows)
    .map(({ metric, limit, remaining }) => ({ limit: metric, ratio: 1 - remaining / limit }))
}

export interface MetricsAccess {
  readonly isOperator: OperatorCheck
  readonly noteWrongToken: (address: string | null) => number
}

/** `/metrics` beside the other endpoints: for the operator token, and for the metrics token if there is one. */
export function openMetricsEndpoint(
  settings: Settings,
  { isOperator, noteWrongToken }: MetricsAccess,
  read: () => MaybePromise<Readings>,
): Endpoint {
  const isMetricsToken = metricsTokenCheck(settings.metricsToken)
  const check = (exchange: Exchange) => {
    if (isOperator(exchange.headers) || isMetricsToken(exchange.headers)) return
    throw refuseOperator(exchange, { noteWrongToken })
  }
  return metricsEndpoint({ check, read })
}

// A scrape has no body.
const NO_BODY = { maxBytes: 0, timeoutMs: 1_000 }

/** Serves `/metrics` alone on its own port; null when none is set. */
export function openMetricsPort(
  { metricsPort, metricsHostname, metricsToken }: Settings,
  { clock, log }: Pick<SystemServices, 'clock' | 'log'>,
  read: () => MaybePromise<Readings>,
): HttpServer | null {
  if (metricsPort === null) return null
  try {
    return startServer({
      hostname: metricsHostname,
      port: metricsPort,
      endpoints: [metricsEndpoint({ check: checkOnMetricsPort(metricsToken), read })],
      bodyLimits: NO_BODY,
      clock,
      log: {
        // Scrapes are not what an operator looks for among the requests.
        request: () => {},
        attemptFailed: () => {},
        notice: (what, facts) => log.notice(what, facts),
        trouble: (what, error, requestId) => log.trouble(what, error, requestId),
      },
    })
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
    throw new SettingError(
      `TURNPIKE_METRICS_PORT is ${metricsPort}; this process cannot listen there on ${metricsHostname} (${code}).`,
    )
  }
}

/** What runs beside the gateway for its metrics. The parent of workers serves the port for all of them. */
export function openMetering(
  settings: Settings,
  system: SystemServices,
  parts: { readonly services: Services & { readonly role: Role | null }; readonly read: () => Readings },
) {
  const { services, read } = parts
  const lag = watchLoopLag((seconds) => services.metrics.noteLoopLag(seconds))
  const port = services.role === null ? openMetricsPort(settings, system, read) : null
  return {
    url: port === null ? null : `${port.url}/metrics`,
    stop: async () => {
      lag.stop()
      await port?.close()
    },
  }
}
