import { GatewayError } from '../errors/gateway-error.ts'
import { authenticate, type Caller, readChanges, unreadable } from './authenticate.ts'
import type { Gateway } from './gateway.ts'
import type { Exchange } from './ports/exchange.ts'

/** Another node has changed the configuration since the request was judged; nothing was taken for it. */
export class ConfigurationChanged extends Error {}

export interface Court {
  readonly exchange: Exchange
  readonly gateway: Gateway
}

/** As `authenticate`, but a key that another node has just made is not refused for being unknown here. */
export async function welcome({ exchange, gateway }: Court): Promise<Caller> {
  try {
    return authenticate(exchange, gateway)
  } catch (refusal) {
    const before = gateway.snapshot()
    await readChanges(gateway)
    if (gateway.snapshot() === before) throw refusal
    return authenticate(exchange, gateway)
  }
}

// Each turn has seen a newer configuration than the one before; changes do not come faster than this.
const MOST_TURNS = 20

/**
 * Judges a request by the newest configuration, whichever node made it. A body may take a minute to arrive; what an
 * operator changed meanwhile, such as revoking the key, holds. What other nodes have changed comes to light with the
 * admission, or is asked for before a request is refused: asking first would cost every request a journey.
 */
export async function judge<Verdict>(
  first: Caller,
  { exchange, gateway }: Court,
  decide: (caller: Caller) => Promise<Verdict>,
): Promise<Verdict> {
  for (let turn = 0, before = first; turn < MOST_TURNS; turn += 1) {
    const caller: Caller = gateway.snapshot() === before.snapshot ? before : authenticate(exchange, gateway)
    try {
      return await decide(caller)
    } catch (problem) {
      if (!isOfConfiguration(problem)) throw problem
      await readChanges(gateway)
      if (gateway.snapshot() !== caller.snapshot) before = caller
      else throw problem instanceof ConfigurationChanged ? unreadable() : problem
    }
  }
  throw unreadable()
}

/** What was counted and found too much stays so, whatever the configuration says. */
const COUNTED: readonly string[] = [
  'rate_limit_exceeded',
  'spending_limit_exceeded',
  'temporarily_unavailable',
]

function isOfConfiguration(problem: unknown): boolean {
  if (problem instanceof ConfigurationChanged) return true
  return problem instanceof GatewayError && !COUNTED.includes(problem.code)
}
