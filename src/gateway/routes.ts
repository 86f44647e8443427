import { GatewayError } from '../errors/gateway-error.ts'
import { PROTOCOLS } from '../protocols/index.ts'
import type { Protocol } from '../protocols/protocol.ts'
import { authenticate } from './authenticate.ts'
import type { Gateway } from './gateway.ts'
import { generate, tellingLimits } from './generate.ts'
import { listModels, showModel } from './list-models.ts'
import type { Endpoint, HttpMethod } from './ports/exchange.ts'

/** Every path a client can ask for, and the story that answers it. Nothing but paths belongs here. */
export function clientEndpoints(gateway: Gateway): Endpoint[] {
  return [
    ...PROTOCOLS.flatMap((protocol) => generationEndpoints(protocol, gateway)),
    { method: 'GET', path: '/v1/models', handle: (exchange) => listModels(exchange, gateway) },
    { method: 'GET', path: '/v1/models/*', handle: (exchange) => showModel(exchange, gateway) },
    ...FAMILIES_TO_COME.map(([method, path]) => notServedYet(method, path, gateway)),
  ]
}

function generationEndpoints(protocol: Protocol, gateway: Gateway): Endpoint[] {
  return protocol.paths.map((path) => ({
    method: 'POST',
    path,
    handle: (exchange) => generate(exchange, protocol, gateway),
    ...(protocol.dressError && { dressError: protocol.dressError }),
  }))
}

// Keys are checked on these paths already, so that a client learns of a wrong key before it learns of the rest.
const FAMILIES_TO_COME: readonly (readonly [HttpMethod, string])[] = [
  ['POST', '/v1/responses'],
  ['POST', '/v1/messages'],
  ['POST', '/v1/messages/count_tokens'],
  ['POST', '/v1/images/generations'],
  ['POST', '/v1/images/edits'],
  ['GET', '/v1beta/models'],
  ['GET', '/v1beta/models/*'],
  ['POST', '/v1beta/models/*'],
]

function notServedYet(method: HttpMethod, path: string, gateway: Gateway): Endpoint {
  return {
    method,
    path,
    handle: (exchange) =>
      tellingLimits(authenticate(exchange, gateway), gateway, () => {
        const message = 'This API family is not served by this version; use POST /v1/chat/completions.'
        return Promise.reject(new GatewayError('not_found', message))
      }),
  }
}
