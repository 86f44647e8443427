import { GatewayError } from '../../errors/gateway-error.ts'
import { eligibleRoutes } from '../../rules/routing/eligible-routes.ts'
import type { Caller, Target } from './prepared-request.ts'

/** Every model the key may use at this moment, in the order of their ids. */
export function availableModels(caller: Caller): Target[] {
  const { supply } = caller.snapshot
  const available: Target[] = []
  for (const model of supply.models.values()) {
    const routes = eligibleRoutes(supply, caller.key, model)
    if (routes.length > 0) available.push({ model, routes })
  }
  return available.sort((one, other) => (one.model.id < other.model.id ? -1 : 1))
}

/** To a key that may not use a model, the model does not exist. */
export function availableModel(caller: Caller, id: string): Target {
  const { supply } = caller.snapshot
  const model = supply.models.get(id)
  const routes = model === undefined ? [] : eligibleRoutes(supply, caller.key, model)
  if (model === undefined || routes.length === 0) throw modelNotFound(id)
  return { model, routes }
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
