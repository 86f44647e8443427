import type { Static } from 'typebox'
import { GatewayError } from '../../errors/gateway-error.ts'
import type { Endpoint } from '../../gateway/ports/exchange.ts'
import {
  type IssuedKey,
  type KeySettings,
  type KeyUsage,
  type Operations,
  UNRESTRICTED,
} from '../../gateway/ports/operations.ts'
import { describeKey } from '../../rules/catalog/describe-key.ts'
import { describeOptionalTime } from '../../rules/catalog/describe-time.ts'
import type { ApiKey, RoutePolicy } from '../../vocabulary/api-key.ts'
import type { Clock } from '../../vocabulary/clock.ts'
import { formatUsdt, parseUsdt } from '../../vocabulary/money.ts'
import { actorOf, OPERATOR_PATH } from './address.ts'
import { listEndpoint } from './list-endpoint.ts'
import { bodyReader } from './read-body.ts'
import { idOf, readOptionalTime } from './read-values.ts'
import { KeyBody, KeyChangeBody, RotateBody } from './schema.ts'

const ACCOUNT_KEYS = `${OPERATOR_PATH}/accounts/:id/keys`
const KEY = `${OPERATOR_PATH}/keys/:id`
const DEFAULT_THRESHOLDS = [50, 80, 100] as const

type KeyFields = Omit<Static<typeof KeyBody>, 'name'>

export function keyEndpoints(operations: Operations, clock: Clock): Endpoint[] {
  const renderAll: RenderKeys = async (keys) => {
    const usages = await operations.usageOf(keys)
    return keys.map((key, index) => {
      const usage = usages[index]
      return { ...describeKey(key, clock.nowMs()), usage: usage ? renderUsage(usage) : null }
    })
  }
  const render: RenderKey = async (key) => (await renderAll([key]))[0] ?? {}
  return [
    createKey(operations, render),
    listEndpoint({ path: ACCOUNT_KEYS }, async (page, exchange) => {
      const { data, nextCursor } = operations.listKeys(idOf(exchange), page)
      return Response.json({ data: await renderAll(data), next_cursor: nextCursor })
    }),
    {
      method: 'GET',
      path: KEY,
      handle: async (exchange) => Response.json(await render(operations.findKey(idOf(exchange)))),
    },
    changeKey(operations, render),
    rotateKey(operations, render),
    {
      method: 'DELETE',
      path: KEY,
      handle: async (exchange) =>
        Response.json(await render(await operations.revokeKey(idOf(exchange), actorOf(exchange)))),
    },
  ]
}

type RenderKey = (key: ApiKey) => Promise<object>
type RenderKeys = (keys: readonly ApiKey[]) => Promise<readonly object[]>

function createKey(operations: Operations, render: RenderKey): Endpoint {
  const readBody = bodyReader(KeyBody)
  return {
    method: 'POST',
    path: ACCOUNT_KEYS,
    handle: async (exchange) => {
      const { name, ...fields } = await readBody(exchange)
      const settings = { ...UNRESTRICTED, name, ...readKeyFields(fields) }
      return renderIssued(await operations.createKey(idOf(exchange), settings, actorOf(exchange)), render)
    },
  }
}

function changeKey(operations: Operations, render: RenderKey): Endpoint {
  const readBody = bodyReader(KeyChangeBody)
  return {
    method: 'PATCH',
    path: KEY,
    handle: async (exchange) => {
      const { name, state, ...fields } = await readBody(exchange)
      const change = {
        ...readKeyFields(fields),
        ...(name !== undefined && { name }),
        ...(state !== undefined && { state }),
      }
      return Response.json(
        await render(await operations.changeKey(idOf(exchange), change, actorOf(exchange))),
      )
    },
  }
}

function rotateKey(operations: Operations, render: RenderKey): Endpoint {
  const readBody = bodyReader(RotateBody)
  return {
    method: 'POST',
    path: `${KEY}/rotate`,
    handle: async (exchange) => {
      const { grace_seconds = 0 } = await readBody(exchange)
      return renderIssued(
        await operations.rotateKey(idOf(exchange), grace_seconds, actorOf(exchange)),
        render,
      )
    },
  }
}

async function renderIssued({ key, secret }: IssuedKey, render: RenderKey): Promise<Response> {
  return Response.json({ ...(await render(key)), secret })
}

function renderUsage(usage: KeyUsage): object {
  return {
    period: usage.period,
    spent: formatUsdt(usage.spentNano),
    held: formatUsdt(usage.heldNano),
    remaining: usage.remainingNano === null ? null : formatUsdt(usage.remainingNano),
    resets_at: describeOptionalTime(usage.resetsAtMs),
    spent_this_month: formatUsdt(usage.monthSpentNano),
  }
}

/** Only the fields that were sent; null is a value of its own and takes a setting away. */
function readKeyFields(fields: KeyFields): Partial<KeySettings> {
  const { route_policy, usage_limit, rpm, tpm, model_allowlist, budget, expires_at, shared_fallback } = fields
  return {
    ...(route_policy !== undefined && { routePolicy: readRoutePolicy(route_policy) }),
    ...(usage_limit !== undefined && { usageLimit: readUsageLimit(usage_limit) }),
    ...(rpm !== undefined && { rpm }),
    ...(tpm !== undefined && { tpm }),
    ...(model_allowlist !== undefined && { modelAllowlist: model_allowlist }),
    ...(budget !== undefined && { budget: readBudget(budget) }),
    ...(expires_at !== undefined && { expiresAtMs: readOptionalTime(expires_at, 'expires_at') }),
    ...(shared_fallback !== undefined && { sharedFallback: shared_fallback }),
  }
}

function readRoutePolicy({ mode, provider }: NonNullable<KeyFields['route_policy']>): RoutePolicy {
  if (mode === 'specified_provider' && provider !== undefined) return { mode, provider }
  if (mode === 'intelligent' && provider === undefined) return { mode }
  throw new GatewayError(
    'invalid_request',
    'route_policy.provider is required with mode "specified_provider" and not allowed with "intelligent".',
    { param: 'route_policy.provider' },
  )
}

function readUsageLimit(limit: NonNullable<KeyFields['usage_limit']> | null): KeySettings['usageLimit'] {
  return limit && { period: limit.period, amountNano: parseUsdt(limit.amount, 'usage_limit.amount') }
}

function readBudget(budget: NonNullable<KeyFields['budget']> | null): KeySettings['budget'] {
  if (budget === null) return null
  const thresholds = (budget.thresholds ?? DEFAULT_THRESHOLDS).toSorted((a, b) => a - b)
  return { amountNano: parseUsdt(budget.amount, 'budget.amount'), thresholds }
}
