import { encodeModel, encodeModelList } from '../protocols/content-generation/index.ts'
import type { Model } from '../vocabulary/supply.ts'
import type { Caller } from './authenticate.ts'
import { availableModel, availableModels, modelNotFound, type Target } from './find-model.ts'
import type { Gateway } from './gateway.ts'
import { lookUp } from './look-up.ts'
import { limitOf, protocolsOf, sourceOf } from './model-facts.ts'
import type { Exchange, Reply } from './ports/exchange.ts'

/** The models a key may use, as its route policy and allowlist stand at this moment. */
export function listModels(exchange: Exchange, gateway: Gateway): Promise<Reply> {
  return lookUp(exchange, gateway, (caller) => {
    const data = availableModels(caller).map((target) => modelEntry(caller, target))
    const ends = { first_id: data.at(0)?.id ?? null, last_id: data.at(-1)?.id ?? null }
    return { object: 'list', data, has_more: false, ...ends }
  })
}

export function showModel(exchange: Exchange, gateway: Gateway): Promise<Reply> {
  return lookUp(exchange, gateway, (caller) => modelEntry(caller, availableModel(caller, idOf(exchange))))
}

/** The same models in the shape and pages of the content-generation family. */
export function listGenerationModels(exchange: Exchange, gateway: Gateway): Promise<Reply> {
  return lookUp(exchange, gateway, (caller) => {
    const { query } = exchange
    const page = { pageSize: query.get('pageSize'), pageToken: query.get('pageToken') }
    return encodeModelList(
      availableModels(caller)
        .map(({ model }) => model)
        .filter(isTalking),
      page,
    )
  })
}

export function showGenerationModel(exchange: Exchange, gateway: Gateway): Promise<Reply> {
  return lookUp(exchange, gateway, (caller) => {
    const { model } = availableModel(caller, idOf(exchange))
    if (!isTalking(model)) throw modelNotFound(model.id)
    return encodeModel(model)
  })
}

/** That family lists what its own methods can be called with. */
function isTalking({ kinds }: Model): boolean {
  return kinds.includes('text')
}

function idOf(exchange: Exchange): string {
  return exchange.params['*'] ?? ''
}

function modelEntry(caller: Caller, target: Target) {
  const { model, routes } = target
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
      protocols: protocolsOf(target),
      source: sourceOf(routes),
      kinds: model.kinds,
      ...limitsOf(caller, target),
      routeable: routes.some((route) => route.credentials.length > 0),
    },
  }
}

function limitsOf(caller: Caller, target: Target) {
  const { rpm, tpm } = limitOf(caller, target)
  if (rpm === null && tpm === null) return {}
  return { limits: { ...(rpm && { rpm: rpm.value }), ...(tpm && { tpm: tpm.value }) } }
}

function distinct<T>(values: readonly T[]): T[] {
  return [...new Set(values)]
}
