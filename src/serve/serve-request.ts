import type { Protocol } from '../protocols/protocol.ts'
import { admit } from './admission/admit.ts'
import { checkBeforeBody } from './admission/before-body.ts'
import { findModel } from './admission/find-model.ts'
import { refuseFlood } from './admission/own-limits.ts'
import type { Caller, PreparedText } from './admission/prepared-request.ts'
import { RateLimitHeaders } from './admission/rate-limit-headers.ts'
import { authenticate, retryOnConfigChange } from './admission/retry-on-config-change.ts'
import { type Delivery, deliver } from './delivery/deliver.ts'
import type { Gateway } from './gateway.ts'
import { planText } from './families/text/lanes/plan-lane.ts'
import type { Exchange, Reply } from './ports/exchange.ts'
import { type Reading, readRequest } from './families/text/read-text.ts'

/**
 * Serves one text-generation request, from socket to settlement.
 *
 * Each step needs what the previous one returned, so the compiler keeps them in order. A step refuses by throwing
 * a GatewayError; only render-error.ts turns one into bytes. A step gives a promise only when it really has to wait:
 * waiting for what is there already would cost every request more than most of the steps.
 */
export async function generate(exchange: Exchange, protocol: Protocol, gateway: Gateway): Promise<Reply> {
  const incoming = { exchange, protocol, gateway }
  const authenticated = authenticate(incoming)
  const checked = checkBeforeBody(
    authenticated instanceof Promise ? await authenticated : authenticated,
    incoming,
  )
  const first = checked instanceof Promise ? await checked : checked
  const limits = new RateLimitHeaders(first, gateway, exchange)
  try {
    const body = exchange.readText()
    const text = body instanceof Promise ? await body : body
    // Many bodies may have come side by side: what was refused meanwhile counts before this one is parsed.
    if (body instanceof Promise) refuseFlood(first, gateway)
    const read = readRequest(text, first, incoming)
    const reading = read instanceof Promise ? await read : read
    const admitted = retryOnConfigChange(first, incoming, (caller) =>
      admit(prepare(caller, protocol, reading), gateway),
    )
    const admission = admitted instanceof Promise ? await admitted : admitted
    limits.windows = admission.windows
    return limits.addTo(respond(await deliver(admission, gateway, planText(admission, gateway))))
  } catch (thrown) {
    throw await limits.addToError(thrown)
  }
}

function prepare(caller: Caller, protocol: Protocol, reading: Reading): PreparedText {
  const { exchange, request, bodyCharacters, keepReply, bodies } = reading
  const target = findModel(caller, request, protocol)
  return { exchange, protocol, caller, request, bodyCharacters, target, keepReply, bodies }
}

export function respond(delivery: Delivery): Reply {
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
  return { status: 200, headers, body: delivery.body }
}
