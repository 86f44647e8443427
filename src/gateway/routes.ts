import { PROTOCOLS, protocolOf } from '../protocols/index.ts'
import type { Protocol, TokenCounting } from '../protocols/protocol.ts'
import { countTokens } from './count-tokens.ts'
import type { Gateway } from './gateway.ts'
import { generate } from './generate.ts'
import { listGenerationModels, listModels, showGenerationModel, showModel } from './list-models.ts'
import { editImage, generateImage } from './make-image.ts'
import type { Endpoint, Exchange, HttpMethod, Reply } from './ports/exchange.ts'
import { deleteReply, listReplyInput, showReply } from './reply-state.ts'
import { serveAsset } from './serve-asset.ts'
import { showLimits } from './show-limits.ts'

type Story = (exchange: Exchange, gateway: Gateway) => Promise<Reply | Response>

/** Every path a client can ask for, and the story that answers it. Nothing but paths belongs here. */
export function clientEndpoints(gateway: Gateway): Endpoint[] {
  const stories: readonly (readonly [HttpMethod, string, Story])[] = [
    ['GET', '/v1/models', listModels],
    ['GET', '/v1/models/*', showModel],
    ['GET', '/v1/limits', showLimits],
    ['GET', '/v1beta/models', listGenerationModels],
    ['GET', '/v1beta/models/*', showGenerationModel],
    ['GET', '/v1/responses/:id', showReply],
    ['DELETE', '/v1/responses/:id', deleteReply],
    ['GET', '/v1/responses/:id/input_items', listInput],
    ['GET', '/assets/:name', serveAsset],
    ['POST', '/v1/images/generations', generateImage],
    ['POST', '/v1/images/edits', editImage],
  ]
  return [
    ...PROTOCOLS.flatMap((protocol) => protocolEndpoints(protocol, gateway)),
    ...stories.map(([method, path, story]) => ({
      method,
      path,
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

function post(path: string, { dressError }: Protocol, handle: Endpoint['handle']): Endpoint {
  return { method: 'POST', path, handle, ...(dressError && { dressError }) }
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
