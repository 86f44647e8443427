import { GatewayError } from '../errors/gateway-error.ts'
import type { ClientRequest, Protocol } from '../protocols/protocol.ts'
import { type EligibleRoute, eligibleRoutes } from '../rules/routing/eligible-routes.ts'
import type { Model } from '../vocabulary/supply.ts'
import type { Caller } from './authenticate.ts'
import { chooseLane } from './choose-lane.ts'

/** The model a request names and the routes that can carry the request to it. */
export interface Target {
  readonly model: Model
  readonly routes: readonly EligibleRoute[]
}

/** A model that does not exist and one the key may not use look the same from outside. */
export function findModel(caller: Caller, request: ClientRequest, protocol: Protocol): Target {
  const { supply } = caller.snapshot
  const model = supply.models.get(request.facts.model)
  const routes = model === undefined ? [] : eligibleRoutes(supply, caller.key, model)
  const speaking = routes.filter((route) => chooseLane(protocol, request, route) !== null)
  if (model === undefined || speaking.length === 0) {
    const name = JSON.stringify(request.facts.model.slice(0, 200))
    const hint = 'GET /v1/models lists what this API key may use.'
    throw new GatewayError(
      'model_not_found',
      `The model ${name} does not exist or is not available. ${hint}`,
      {
        param: 'model',
      },
    )
  }
  return { model, routes: speaking }
}
