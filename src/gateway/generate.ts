import type { Protocol } from '../protocols/protocol.ts'
import { type Admission, NOTHING_DELIVERED } from './admission.ts'
import { admit } from './admit.ts'
import { authenticate, type Caller } from './authenticate.ts'
import type { PlanFor } from './candidate-line.ts'
import { type Delivery, deliver } from './deliver.ts'
import { findModel } from './find-model.ts'
import type { Gateway } from './gateway.ts'
import { planText } from './plan-lane.ts'
import type { Exchange, Reply } from './ports/exchange.ts'
import { readRequest } from './read-request.ts'
import { tellingLimits } from './telling-limits.ts'

/**
 * Serves one text-generation request, from socket to settlement.
 *
 * Each step needs what the previous one returned, so the compiler keeps them in order. A step refuses by throwing
 * a GatewayError; only render-error.ts turns one into bytes.
 */
export function generate(exchange: Exchange, protocol: Protocol, gateway: Gateway): Promise<Reply> {
  const first = authenticate(exchange, gateway)
  return tellingLimits(first, gateway, async (limits) => {
    const reading = await readRequest(exchange, { protocol, caller: first, gateway })
    const caller = stillWelcome(first, exchange, gateway)
    const target = findModel(caller, reading.request, protocol)
    const admission = await admit({ exchange, protocol, caller, target, ...reading }, gateway)
    limits.windows = admission.windows
    return respond(await deliverOrSettle(admission, gateway, planText(admission, gateway)))
  })
}

/** A body may take a minute to arrive; what an operator changed meanwhile, such as revoking the key, holds. */
export function stillWelcome(caller: Caller, exchange: Exchange, gateway: Gateway): Caller {
  return gateway.snapshot() === caller.snapshot ? caller : authenticate(exchange, gateway)
}

/** Whatever goes wrong on the way, what was held for the request is let go; settling a second time changes nothing. */
export async function deliverOrSettle(
  admission: Admission,
  gateway: Gateway,
  planFor: PlanFor,
): Promise<Delivery> {
  try {
    return await deliver(admission, gateway, planFor)
  } catch (error) {
    await admission.settle({ outcome: 'refused', ...NOTHING_DELIVERED, served: null })
    throw error
  }
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
