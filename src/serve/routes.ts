import { MODEL_CONTRACTS } from '../protocols/content-generation/index.ts'
import { protocolOf } from '../protocols/index.ts'
import { KEPT_CONTRACTS } from '../protocols/responses/index.ts'
import type { Contract } from '../vocabulary/runtime/contract.ts'
import type { FamilyEndpoint } from './families/family.ts'
import { FAMILY_ENDPOINTS } from './families/index.ts'
import type { Gateway } from './gateway.ts'
import {
  listGenerationModels,
  listModels,
  listModelsContract,
  showGenerationModel,
  showModel,
  showModelContract,
} from './list-models.ts'
import type { Endpoint, Exchange, HttpMethod, Reply } from './ports/exchange.ts'
import { responseSocket } from './response-socket/index.ts'
import { serveAsset, serveAssetContract } from './serve-asset.ts'
import { serveRequest } from './serve-request.ts'
import { showLimits, showLimitsContract } from './show-limits.ts'
import { STATE_STORIES } from './state/endpoints.ts'
import {
  cancelReply,
  deleteReply,
  listReplyInput,
  type StatefulProtocol,
  showReply,
} from './state/reply-state.ts'

type Story = (exchange: Exchange, gateway: Gateway) => Promise<Reply | Response>

/** Every path a client can call, the function that serves it, and its entry in the API document. */
export function clientEndpoints(gateway: Gateway): Endpoint[] {
  const stories: readonly (readonly [HttpMethod, string, Story, Contract])[] = [
    ['GET', '/v1/models', listModels, listModelsContract],
    ['GET', '/v1/models/*', showModel, showModelContract],
    ['GET', '/v1/limits', showLimits, showLimitsContract],
    ['GET', '/v1beta/models', listGenerationModels, MODEL_CONTRACTS.list],
    ['GET', '/v1beta/models/*', showGenerationModel, MODEL_CONTRACTS.show],
    ['GET', '/v1/responses/:id', ofResponses(showReply), KEPT_CONTRACTS.show],
    ['DELETE', '/v1/responses/:id', ofResponses(deleteReply), KEPT_CONTRACTS.delete],
    ['POST', '/v1/responses/:id/cancel', ofResponses(cancelReply), KEPT_CONTRACTS.cancel],
    ['GET', '/v1/responses/:id/input_items', ofResponses(listReplyInput), KEPT_CONTRACTS.listInput],
    ...STATE_STORIES,
    ['GET', '/assets/:name', serveAsset, serveAssetContract],
  ]
  return [
    responseSocket(gateway),
    ...FAMILY_ENDPOINTS.map((endpoint) => familyEndpoint(endpoint, gateway)),
    ...stories.map(([method, path, story, contract]) => ({
      method,
      path,
      contract,
      handle: (exchange: Exchange) => story(exchange, gateway),
    })),
  ]
}

function familyEndpoint(endpoint: FamilyEndpoint, gateway: Gateway): Endpoint {
  const { path, contract, family, dressError, handle } = endpoint
  return {
    method: 'POST',
    path,
    contract,
    ...(dressError && { dressError }),
    handle:
      handle === undefined
        ? (exchange) => serveRequest(exchange, gateway, family)
        : (exchange) => handle(exchange, gateway),
  }
}

type StatefulStory = (exchange: Exchange, gateway: Gateway, protocol: StatefulProtocol) => Promise<Reply>

function ofResponses(story: StatefulStory): Story {
  const { state, heartbeat = null } = protocolOf('responses') ?? {}
  if (state === undefined) throw new Error('responses keeps no state')
  return (exchange, gateway) => story(exchange, gateway, { state, heartbeat })
}
