import type { Static } from 'typebox'
import { GatewayError } from '../../../errors/gateway-error.ts'
import type { Endpoint, Exchange } from '../../../gateway/ports/exchange.ts'
import type { Operations, RouteSettings } from '../../../gateway/ports/operations.ts'
import { describeModel, describeRoute } from '../../../rules/catalog/describe-supply.ts'
import { parseUsdt } from '../../../vocabulary/money.ts'
import type { Model, Price } from '../../../vocabulary/supply.ts'
import { actorOf, OPERATOR_PATH } from './address.ts'
import { listEndpoint } from './list-endpoint.ts'
import { bodyReader } from './read-body.ts'
import { restOf } from './read-values.ts'
import { renderListing, renderRoute } from './render.ts'
import { ModelBody, RouteBody } from './schema.ts'

const MODELS = `${OPERATOR_PATH}/models`
const ROUTE_MARK = '/routes/'
const DEFAULT_PRIORITY = 1

export function modelEndpoints(operations: Operations): Endpoint[] {
  return [
    listEndpoint({ path: MODELS }, (page) => renderListing(operations.listModels(page), describeModel)),
    {
      method: 'GET',
      path: `${MODELS}/*`,
      handle: (exchange) => Response.json(describeModel(operations.findModel(restOf(exchange)))),
    },
    putModelOrRoute(operations),
    listEndpoint({ path: `${OPERATOR_PATH}/routes` }, (page) =>
      renderListing(operations.listRoutes(page), renderRoute),
    ),
  ]
}

// A model id may contain slashes, so only its end tells a model's address from a route's.
function putModelOrRoute(operations: Operations): Endpoint {
  const readModelBody = bodyReader(ModelBody)
  const readRouteBody = bodyReader(RouteBody)
  return {
    method: 'PUT',
    path: `${MODELS}/*`,
    handle: async (exchange) => {
      const ids = splitRoute(restOf(exchange))
      if (ids === null) {
        const model = readModel(idOfModel(exchange), await readModelBody(exchange))
        return Response.json(describeModel(await operations.putModel(model, actorOf(exchange))))
      }
      const settings = readRoute(await readRouteBody(exchange))
      return Response.json(describeRoute(await operations.putRoute(ids, settings, actorOf(exchange))))
    },
  }
}

function idOfModel(exchange: Exchange): string {
  const id = restOf(exchange)
  if (id === '') throw new GatewayError('not_found', 'The path names no model.')
  return id
}

function splitRoute(rest: string): { modelId: string; supplierId: string } | null {
  const mark = rest.lastIndexOf(ROUTE_MARK)
  if (mark < 0) return null
  return { modelId: rest.slice(0, mark), supplierId: rest.slice(mark + ROUTE_MARK.length) }
}

function readModel(id: string, body: Static<typeof ModelBody>): Omit<Model, 'createdAtMs'> {
  return {
    id,
    ownedBy: body.owned_by,
    displayName: body.display_name ?? id,
    description: body.description ?? '',
    kinds: body.kinds ?? ['text'],
    inputTokenLimit: body.input_token_limit ?? null,
    outputTokenLimit: body.output_token_limit ?? null,
    rpm: body.rpm ?? null,
    tpm: body.tpm ?? null,
    capabilities: body.capabilities ?? {},
  }
}

function readRoute(body: Static<typeof RouteBody>): RouteSettings {
  return {
    upstreamModel: body.upstream_model,
    formats: body.formats ?? null,
    price: body.price ? readPrice(body.price) : null,
    rpm: body.rpm ?? null,
    tpm: body.tpm ?? null,
    priority: body.priority ?? DEFAULT_PRIORITY,
    enabled: body.enabled ?? true,
  }
}

// Cached prompt tokens without a price of their own are prompt tokens; leaving them out must not make them free.
function readPrice(price: NonNullable<Static<typeof RouteBody>['price']>): Price {
  const { input, output, cache_read = input, cache_write = input, image = '0' } = price
  return {
    inputNanoPerMillion: parseUsdt(input, 'price.input'),
    outputNanoPerMillion: parseUsdt(output, 'price.output'),
    cacheReadNanoPerMillion: parseUsdt(cache_read, 'price.cache_read'),
    cacheWriteNanoPerMillion: parseUsdt(cache_write, 'price.cache_write'),
    imageNano: parseUsdt(image, 'price.image'),
  }
}
