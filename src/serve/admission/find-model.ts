import { GatewayError } from '../../errors/gateway-error.ts'
import {
  aliasesOf,
  findAlias,
  findWildModel,
  matchWildcards,
  nameBehind,
  type WildModel,
} from '../../rules/catalog/names.ts'
import { eligibleRoutes, isAllowed, usableRoutes } from '../../rules/routing/eligible-routes.ts'
import type { Alias } from '../../vocabulary/records/alias.ts'
import type { Model } from '../../vocabulary/supply.ts'
import { type Caller, chain, nameOf, type Target } from './prepared-request.ts'

/** Every model the key may use at this moment, in the order of their names. */
export function availableModels(caller: Caller): Target[] {
  const { supply, aliases, wildcards } = caller.snapshot
  const available = new Map<string, Target>()
  for (const model of supply.models.values()) {
    const routes = eligibleRoutes(supply, caller.key, model)
    if (routes.length > 0) available.set(model.id, { model, routes })
  }
  for (const name of wildcards === null ? [] : knownWildNames(caller)) {
    const target = isAllowed(caller.key, name) ? findWild(caller, name) : null
    if (target !== null && target.routes.length > 0) available.set(name, target)
  }
  for (const alias of aliases === null ? [] : aliasesOf(aliases, caller.account.id)) {
    // It comes before a model of the same name, also when it leads nowhere.
    available.delete(alias.name)
    const steps = isAllowed(caller.key, alias.name) ? stepsBehind(caller, alias) : []
    if (steps.length > 0) available.set(alias.name, chain(steps))
  }
  return [...available.values()].sort((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1))
}

/** A model as it is listed: one behind an alias has the name of the alias. */
export function listedModel({ model, alias }: Target): Model {
  return alias === undefined ? model : { ...model, id: alias, displayName: alias }
}

/**
 * What a name leads to: an alias, else a model, else a wildcard. To a key that may not use it, it does not exist. The
 * key's allowlist is about this name only: an alias that it allows also allows the models behind it, and no others lead
 * there.
 */
export function availableModel(caller: Caller, name: string): Target {
  const { supply, aliases, wildcards } = caller.snapshot
  const alias = aliases === null ? null : findAlias(aliases, caller.account.id, name)
  if (alias !== null) return availableAlias(caller, alias)
  const model = supply.models.get(name)
  if (model !== undefined) {
    const routes = eligibleRoutes(supply, caller.key, model)
    if (routes.length === 0) throw modelNotFound(name)
    return { model, routes }
  }
  const target = wildcards !== null && isAllowed(caller.key, name) ? findWild(caller, name) : null
  if (target === null) throw modelNotFound(name)
  if (target.routes.length === 0) throw isUnpriced(caller, name) ? unpriced(name) : modelNotFound(name)
  return target
}

function availableAlias(caller: Caller, alias: Alias): Target {
  const { name, models } = alias
  if (!isAllowed(caller.key, name)) throw modelNotFound(name)
  const steps = stepsBehind(caller, alias)
  if (steps.length > 0) return chain(steps)
  const unusable = models.find((each) => isUnpriced(caller, each))
  throw unusable === undefined ? modelNotFound(name) : unpriced(unusable)
}

/** The models behind an alias that have a usable route. An alias never leads to another one. */
function stepsBehind(caller: Caller, { name: alias, models }: Alias): Target[] {
  const { supply } = caller.snapshot
  return models.flatMap((id) => {
    const model = supply.models.get(id)
    const target =
      model === undefined
        ? findWild(caller, id)
        : { model, routes: usableRoutes(supply, caller.key, { model }) }
    return target === null || target.routes.length === 0 ? [] : [{ ...target, alias }]
  })
}

/** Null when no wildcard is for this name; without routes when none can be used. */
function findWild(caller: Caller, name: string): Target | null {
  const found = wildModel(caller, name)
  if (found === null) return null
  const { supply } = caller.snapshot
  return { model: found.model, routes: usableRoutes(supply, caller.key, found) }
}

function wildModel({ snapshot, catalog }: Caller, name: string): WildModel | null {
  const { supply, wildcards } = snapshot
  if (wildcards === null || catalog === undefined || supply.models.has(name)) return null
  return findWildModel(name, { wildcards, supply, catalog })
}

/** The names that wildcards are known to lead to. */
function knownWildNames({ snapshot, catalog }: Caller): string[] {
  const { supply, wildcards } = snapshot
  if (wildcards === null || catalog === undefined) return []
  return [...wildcards.byPrefix.values()].flat().flatMap((wildcard) => {
    const supplier = supply.suppliers.get(wildcard.supplierId)
    const offered = supplier === undefined || !wildcard.enabled ? [] : catalog.modelsAt(supplier)
    const names = offered.flatMap((upstreamModel) => nameBehind(wildcard, upstreamModel) ?? [])
    // A longer pattern may be for the same name.
    return names.filter(
      (name) => !supply.models.has(name) && matchWildcards(wildcards, name).includes(wildcard),
    )
  })
}

/** Whether only the price is missing. */
function isUnpriced(caller: Caller, name: string): boolean {
  const { suppliers } = caller.snapshot.supply
  const isUsable = (id: string) => {
    const supplier = suppliers.get(id)
    return supplier?.enabled === true && supplier.source === 'shared'
  }
  const routes = wildModel(caller, name)?.routes ?? []
  return routes.some(({ price, supplierId }) => price === null && isUsable(supplierId))
}

function unpriced(name: string): GatewayError {
  const quoted = JSON.stringify(name.slice(0, 200))
  const message = `The model ${quoted} has no price here, so it cannot be used. An operator can set one for it.`
  return new GatewayError('model_not_found', message, { param: 'model' })
}

export function modelNotFound(id: string): GatewayError {
  const name = JSON.stringify(id.slice(0, 200))
  const hint = 'GET /v1/models lists what this API key may use.'
  return new GatewayError(
    'model_not_found',
    `The model ${name} does not exist or is not available. ${hint}`,
    {
      param: 'model',
    },
  )
}
