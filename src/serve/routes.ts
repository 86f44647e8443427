import Type from 'typebox'
import { MODEL_CONTRACTS } from '../protocols/content-generation/index.ts'
import { IMAGE_CONTRACTS } from '../protocols/images/index.ts'
import { PROTOCOLS, protocolOf } from '../protocols/index.ts'
import type { FormatContract, Protocol, TokenCounting } from '../protocols/protocol.ts'
import { KEPT_CONTRACTS } from '../protocols/responses/index.ts'
import type { Contract, Parameter } from '../vocabulary/runtime/contract.ts'
import { countTokens } from './families/text/count-tokens.ts'
import type { Gateway } from './gateway.ts'
import { generate } from './serve-request.ts'
import {
  listGenerationModels,
  listModels,
  listModelsContract,
  showGenerationModel,
  showModel,
  showModelContract,
} from './list-models.ts'
import { editImage, generateImage } from './make-image.ts'
import type { Endpoint, Exchange, HttpMethod, Reply } from './ports/exchange.ts'
import { deleteReply, listReplyInput, showReply } from './reply-state.ts'
import { serveAsset, serveAssetContract } from './serve-asset.ts'
import { showLimits, showLimitsContract } from './show-limits.ts'

type Story = (exchange: Exchange, gateway: Gateway) => Promise<Reply | Response>

/** Every path a client can ask for, the story that answers it, and what the API document says of it. */
export function clientEndpoints(gateway: Gateway): Endpoint[] {
  const stories: readonly (readonly [HttpMethod, string, Story, Contract])[] = [
    ['GET', '/v1/models', listModels, listModelsContract],
    ['GET', '/v1/models/*', showModel, showModelContract],
    ['GET', '/v1/limits', showLimits, showLimitsContract],
    ['GET', '/v1beta/models', listGenerationModels, MODEL_CONTRACTS.list],
    ['GET', '/v1beta/models/*', showGenerationModel, MODEL_CONTRACTS.show],
    ['GET', '/v1/responses/:id', showReply, KEPT_CONTRACTS.show],
    ['DELETE', '/v1/responses/:id', deleteReply, KEPT_CONTRACTS.delete],
    ['GET', '/v1/responses/:id/input_items', listInput, KEPT_CONTRACTS.listInput],
    ['GET', '/assets/:name', serveAsset, serveAssetContract],
    ['POST', '/v1/images/generations', generateImage, generates(IMAGE_CONTRACTS.generate, ROUTE_HEADERS)],
    ['POST', '/v1/images/edits', editImage, generates(IMAGE_CONTRACTS.edit, ROUTE_HEADERS)],
  ]
  return [
    ...PROTOCOLS.flatMap((protocol) => protocolEndpoints(protocol, gateway)),
    ...stories.map(([method, path, story, contract]) => ({
      method,
      path,
      contract,
      handle: (exchange: Exchange) => story(exchange, gateway),
    })),
  ]
}

function listInput(exchange: Exchange, gateway: Gateway): Promise<Reply> {
  const rules = protocolOf('responses')?.state
  if (rules === undefined) throw new Error('responses keeps no state')
  return listReplyInput(exchange, gateway, rules)
}

function protocolEndpoints(protocol: Protocol, gateway: Gateway): Endpoint[] {
  const counting = protocol.tokenCounting
  const countingPaths = counting?.paths.filter((path) => !protocol.paths.includes(path)) ?? []
  return [
    ...protocol.paths.map((path) => post(path, protocol, (exchange) => serve(exchange, protocol, gateway))),
    ...countingPaths.map((path) =>
      post(path, protocol, (exchange) => count(exchange, protocol, { counting, gateway })),
    ),
  ]
}

function post(path: string, protocol: Protocol, handle: Endpoint['handle']): Endpoint {
  const { dressError } = protocol
  const contract = contractAt(path, protocol)
  return { method: 'POST', path, handle, contract, ...(dressError && { dressError }) }
}

const STRICT: Parameter = {
  name: 'x-gateway-strict',
  in: 'header',
  description: '`true`: refuse the request rather than leave out what the supplier cannot express.',
  schema: Type.Enum(['true', 'false']),
}
const ROUTE_HEADERS = ['x-gateway-route', 'x-gateway-attempts', 'x-gateway-dropped-params']
const TOKEN_HEADERS = ['x-ratelimit-limit-tokens', 'x-ratelimit-remaining-tokens', 'x-ratelimit-reset-tokens']
// Nothing is asked of a supplier that would have to be told as its failure.
const COUNT_ERRORS = [400, 401, 403, 404, 413, 415, 429, 500, 503]

function contractAt(path: string, { name, contracts }: Protocol): Contract {
  const [first, ...also] = (contracts[path] ?? []).map(({ isCount, ...contract }) =>
    isCount
      ? { ...contract, access: 'key' as const, errors: COUNT_ERRORS }
      : generates(contract, [...TOKEN_HEADERS, ...ROUTE_HEADERS]),
  )
  if (first === undefined) throw new Error(`${name} has no contract for ${path}`)
  return { ...first, also }
}

/** A contract of a format with what the gateway adds to every answer it gets from suppliers. */
function generates(contract: FormatContract, headers: readonly string[]): Contract {
  return {
    ...contract,
    access: 'key',
    parameters: [...(contract.parameters ?? []), STRICT],
    answer: { ...contract.answer, headers },
  }
}

/** Most formats have a path for each thing; some say in the rest of the path what is asked for. */
function serve(exchange: Exchange, protocol: Protocol, gateway: Gateway): Promise<Reply> {
  const operation = protocol.operationOf?.(exchange.params['*'] ?? '')
  if (operation !== 'count-tokens') return generate(exchange, protocol, gateway)
  return count(exchange, protocol, { counting: protocol.tokenCounting, gateway })
}

function count(
  exchange: Exchange,
  protocol: Protocol,
  { counting, gateway }: { counting: TokenCounting | undefined; gateway: Gateway },
): Promise<Reply> {
  if (counting === undefined) throw new Error(`${protocol.name} cannot count tokens`)
  return countTokens(exchange, { protocol, counting, gateway })
}
