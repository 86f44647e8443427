import { GatewayError } from '../../errors/gateway-error.ts'
import type { Gateway } from '../gateway.ts'
import type { Exchange } from '../ports/exchange.ts'
import { authenticateNow, readChanges, unreadable } from './authenticate.ts'
import type { Caller } from './prepared-request.ts'

/** Another node has changed the configuration since the request was admitted; nothing was taken for it. */
export class ConfigurationChanged extends Error {}

export interface IncomingRequest {
  readonly exchange: Exchange
  readonly gateway: Gateway
}

/** As `authenticateNow`, but a key that another node has just made is not refused for being unknown here. */
export function authenticate({ exchange, gateway }: IncomingRequest): Caller | Promise<Caller> {
  try {
    return authenticateNow(exchange, gateway)
  } catch (refusal) {
    return authenticateAgain(refusal, { exchange, gateway })
  }
}

async function authenticateAgain(refusal: unknown, { exchange, gateway }: IncomingRequest): Promise<Caller> {
  // Too much was refused already: that must not cost a look at the configuration each time.
  if (refusal instanceof GatewayError && refusal.code === 'rate_limit_exceeded') throw refusal
  const before = gateway.snapshot()
  await readChanges(gateway)
  if (gateway.snapshot() === before) throw refusal
  return authenticateNow(exchange, gateway)
}

// Each turn has seen a newer configuration than the one before; changes do not come faster than this.
const MAX_TURNS = 20
// As often as that, this is half a second.
const LOOK_AGAIN_MS = 25

type Decide<Result> = (caller: Caller) => Result | Promise<Result>

/**
 * Judges a request by the newest configuration, whichever node made it. A body may take a minute to arrive; what an
 * operator changed meanwhile, such as revoking the key, holds. What other nodes have changed comes to light with the
 * admission, or is asked for before a request is refused: prepared first would cost every request a journey.
 */
export function retryOnConfigChange<Result>(
  first: Caller,
  incoming: IncomingRequest,
  decide: Decide<Result>,
): Result | Promise<Result> {
  const caller = newest(first, incoming)
  try {
    const result = decide(caller)
    if (!(result instanceof Promise)) return result
    return result.catch((problem: unknown) => retry({ caller, problem }, incoming, decide))
  } catch (problem) {
    return retry({ caller, problem }, incoming, decide)
  }
}

/** What came of judging by a configuration that may not be the newest. */
interface FailedDecision {
  readonly caller: Caller
  readonly problem: unknown
}

async function retry<Result>(
  failed: FailedDecision,
  incoming: IncomingRequest,
  decide: Decide<Result>,
): Promise<Result> {
  let { caller, problem } = failed
  for (let turn = 1; turn <= MAX_TURNS; turn += 1) {
    if (!isOfConfiguration(problem)) throw problem
    await readChanges(incoming.gateway)
    if (incoming.gateway.snapshot() === caller.snapshot) {
      if (!(problem instanceof ConfigurationChanged)) throw problem
      // It is known to have been changed, and nobody could be asked for it just now. Nothing was taken: it may wait.
      await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS))
    }
    if (turn === MAX_TURNS) break
    caller = newest(caller, incoming)
    try {
      return await decide(caller)
    } catch (thrown) {
      problem = thrown
    }
  }
  throw unreadable()
}

function newest(before: Caller, { exchange, gateway }: IncomingRequest): Caller {
  return gateway.snapshot() === before.snapshot ? before : authenticateNow(exchange, gateway)
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
