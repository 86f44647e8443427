import { asGatewayError } from '../errors/render-error.ts'
import type { Protocol } from '../protocols/protocol.ts'
import { admit } from './admit.ts'
import { authenticate, type Caller } from './authenticate.ts'
import { type Delivery, deliver } from './deliver.ts'
import { findModel } from './find-model.ts'
import type { Gateway } from './gateway.ts'
import { limitHeaders, ownWindows } from './own-limits.ts'
import type { WindowDemand } from './ports/admissions.ts'
import type { Exchange } from './ports/exchange.ts'
import { readRequest } from './read-request.ts'

/**
 * Serves one text-generation request, from socket to settlement.
 *
 * Each step needs what the previous one returned, so the compiler keeps them in order. A step refuses by throwing
 * a GatewayError; only render-error.ts turns one into bytes.
 */
export async function generate(exchange: Exchange, protocol: Protocol, gateway: Gateway): Promise<Response> {
  const caller = authenticate(exchange, gateway)
  return tellingLimits(caller, gateway, async (limits) => {
    const request = await readRequest(exchange, protocol)
    const target = findModel(caller, request, protocol)
    const admission = await admit({ exchange, protocol, caller, request, target }, gateway)
    limits.windows = admission.windows
    return respond(await deliver(admission, gateway))
  })
}

/** The windows whose state the response tells; a step that knows of more replaces them. */
interface ToldLimits {
  windows: readonly WindowDemand[]
}

/** Runs the rest of a story; whatever it ends in, the caller is told where its own windows stand. */
export async function tellingLimits(
  caller: Caller,
  gateway: Gateway,
  story: (limits: ToldLimits) => Promise<Response>,
): Promise<Response> {
  const limits: ToldLimits = { windows: ownWindows(caller, { requests: 1, tokens: null }) }
  try {
    const response = await story(limits)
    const headers = limitHeaders(gateway.admissions, limits.windows)
    for (const name in headers) response.headers.set(name, headers[name] ?? '')
    return response
  } catch (thrown) {
    throw asGatewayError(thrown).withHeaders(limitHeaders(gateway.admissions, limits.windows))
  }
}

function respond(delivery: Delivery): Response {
  const headers: Record<string, string> = {
    'content-type': delivery.contentType,
    'x-gateway-route': delivery.supplier,
    'x-gateway-attempts': String(delivery.attempts),
  }
  if (delivery.dropped.length > 0) headers['x-gateway-dropped-params'] = delivery.dropped.join(', ')
  if (typeof delivery.body !== 'string') {
    // Proxies on the way must neither hold events back nor compress them.
    headers['cache-control'] = 'no-cache, no-transform'
    headers['x-accel-buffering'] = 'no'
  }
  return new Response(delivery.body, { headers })
}
