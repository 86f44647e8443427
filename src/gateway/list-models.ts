import { encodeModel, encodeModelList } from '../protocols/content-generation/index.ts'
import { combinedCapacity, effectiveLimit, routeCapacity } from '../rules/limits/effective-limit.ts'
import { type EligibleRoute, eligibleRoutes } from '../rules/routing/eligible-routes.ts'
import type { Model } from '../vocabulary/supply.ts'
import { authenticate, type Caller } from './authenticate.ts'
import { modelNotFound } from './find-model.ts'
import type { Gateway } from './gateway.ts'
import { jsonReply } from './json-reply.ts'
import { guardLookUp } from './own-limits.ts'
import type { Exchange, Reply } from './ports/exchange.ts'
import { tellingLimits } from './telling-limits.ts'

/** The models a key may use, as its route policy and allowlist stand at this moment. */
export function listModels(exchange: Exchange, gateway: Gateway): Promise<Reply> {
  return lookUp(exchange, gateway, (available, caller) => {
    const data = available.map((model) => modelEntry(caller, model))
    const ends = { first_id: data.at(0)?.id ?? null, last_id: data.at(-1)?.id ?? null }
    return { object: 'list', data, has_more: false, ...ends }
  })
}

export function showModel(exchange: Exchange, gateway: Gateway): Promise<Reply> {
  return lookUp(exchange, gateway, (available, caller) => modelEntry(caller, findIn(available, exchange)))
}

/** The same models in the shape and pages of the content-generation family. */
export function listGenerationModels(exchange: Exchange, gateway: Gateway): Promise<Reply> {
  return lookUp(exchange, gateway, (available) => {
    const { query } = exchange
    const page = { pageSize: query.get('pageSize'), pageToken: query.get('pageToken') }
    return encodeModelList(
      available.map(({ model }) => model),
      page,
    )
  })
}

export function showGenerationModel(exchange: Exchange, gateway: Gateway): Promise<Reply> {
  return lookUp(exchange, gateway, (available) => encodeModel(findIn(available, exchange).model))
}

/** Discovery answers with the caller's limits but spends none of the generation windows. */
async function lookUp(
  exchange: Exchange,
  gateway: Gateway,
  answer: (available: readonly AvailableModel[], caller: Caller) => unknown,
): Promise<Reply> {
  const caller = authenticate(exchange, gateway)
  return tellingLimits(caller, gateway, async () => {
    await guardLookUp(caller, gateway.admissions)
    return jsonReply(answer(availableModels(caller), caller))
  })
}

function findIn(available: readonly AvailableModel[], exchange: Exchange): AvailableModel {
  const id = exchange.params['*'] ?? ''
  const found = available.find(({ model }) => model.id === id)
  if (found === undefined) throw modelNotFound(id)
  return found
}

interface AvailableModel {
  readonly model: Model
  readonly routes: readonly EligibleRoute[]
}

function availableModels(caller: Caller): AvailableModel[] {
  const { supply } = caller.snapshot
  const available: AvailableModel[] = []
  for (const model of supply.models.values()) {
    const routes = eligibleRoutes(supply, caller.key, model)
    if (routes.length > 0) available.push({ model, routes })
  }
  return available.sort((one, other) => (one.model.id < other.model.id ? -1 : 1))
}

function modelEntry(caller: Caller, { model, routes }: AvailableModel) {
  return {
    id: model.id,
    object: 'model',
    type: 'model',
    created: Math.floor(model.createdAtMs / 1000),
    created_at: new Date(model.createdAtMs).toISOString(),
    owned_by: model.ownedBy,
    display_name: model.displayName,
    gateway: {
      route_policy: caller.key.routePolicy,
      provider_types: distinct(routes.map((route) => route.supplier.type)),
      protocols: distinct(routes.flatMap((route) => route.formats)),
      source: sourceOf(routes),
      ...limitsOf(caller, { model, routes }),
      routeable: routes.some((route) => route.credentials.length > 0),
    },
  }
}

function sourceOf(routes: readonly EligibleRoute[]): string {
  const sources = distinct(routes.map((route) => route.supplier.source))
  return sources.length > 1 ? 'mixed' : (sources[0] ?? 'shared')
}

function limitsOf(caller: Caller, { model, routes }: AvailableModel) {
  const capacity = combinedCapacity(routes.map(({ route, credentials }) => routeCapacity(route, credentials)))
  const { rpm, tpm } = effectiveLimit([
    { constraint: 'account', ...caller.limits },
    { constraint: 'key', rpm: caller.key.rpm, tpm: caller.key.tpm },
    { constraint: 'model', rpm: model.rpm, tpm: model.tpm },
    { constraint: 'routes', ...capacity },
  ])
  if (rpm === null && tpm === null) return {}
  return { limits: { ...(rpm && { rpm: rpm.value }), ...(tpm && { tpm: tpm.value }) } }
}

function distinct<T>(values: readonly T[]): T[] {
  return [...new Set(values)]
}
