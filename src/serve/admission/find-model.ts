import { GatewayError } from '../../errors/gateway-error.ts'
import type { ClientRequest, Protocol } from '../../protocols/protocol.ts'
import { type EligibleRoute, eligibleRoutes } from '../../rules/routing/eligible-routes.ts'
import type { Model } from '../../vocabulary/supply.ts'
import { chooseLane } from '../families/text/lanes/choose-lane.ts'
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

/** A model that does not exist and one the key may not use look the same from outside. */
export function availableModel(caller: Caller, id: string): Target {
  const { supply } = caller.snapshot
  const model = supply.models.get(id)
  const routes = model === undefined ? [] : eligibleRoutes(supply, caller.key, model)
  if (model === undefined || routes.length === 0) throw modelNotFound(id)
  return { model, routes }
}

/** The model and the routes over which this very request can be served. */
export function findModel(caller: Caller, request: ClientRequest, protocol: Protocol): Target {
  const target = availableModel(caller, request.facts.model)
  const { model, routes } = target
  if (!model.kinds.includes('text')) throw onlyPictures(model)
  const leading = withLanes(routes, request, protocol)
  if (leading.length === 0) throw modelNotFound(model.id)
  return leading === routes ? target : { model, routes: leading }
}

/** Nearly always the very list that was given. */
function withLanes(
  routes: readonly EligibleRoute[],
  request: ClientRequest,
  protocol: Protocol,
): readonly EligibleRoute[] {
  for (const route of routes) {
    if (chooseLane(protocol, request, route) !== null) continue
    return routes.filter((each) => chooseLane(protocol, request, each) !== null)
  }
  return routes
}

function onlyPictures({ id, kinds }: Model): GatewayError {
  const paths = { image: 'POST /v1/images/generations', 'image-edit': 'POST /v1/images/edits', text: null }
  const places = kinds.flatMap((kind) => paths[kind] ?? []).join(' or ')
  const message = `The model ${JSON.stringify(id)} makes pictures and does not answer with text; ask it with ${places}.`
  return new GatewayError('invalid_request', message, { param: 'model' })
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
