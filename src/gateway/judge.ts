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
export function welcome({ exchange, gateway }: Court): Caller | Promise<Caller> {
  try {
    return authenticate(exchange, gateway)
  } catch (refusal) {
    return welcomeAnew(refusal, { exchange, gateway })
  }
}

async function welcomeAnew(refusal: unknown, { exchange, gateway }: Court): Promise<Caller> {
  // Too much was refused already: that must not cost a look at the configuration each time.
  if (refusal instanceof GatewayError && refusal.code === 'rate_limit_exceeded') throw refusal
  const before = gateway.snapshot()
  await readChanges(gateway)
  if (gateway.snapshot() === before) throw refusal
  return authenticate(exchange, gateway)
}

// Each turn has seen a newer configuration than the one before; changes do not come faster than this.
const MOST_TURNS = 20
// As often as that, this is half a second.
const LOOK_AGAIN_MS = 25

type Decide<Verdict> = (caller: Caller) => Verdict | Promise<Verdict>

/**
 * Judges a request by the newest configuration, whichever node made it. A body may take a minute to arrive; what an
 * operator changed meanwhile, such as revoking the key, holds. What other nodes have changed comes to light with the
 * admission, or is asked for before a request is refused: asking first would cost every request a journey.
 */
export function judge<Verdict>(
  first: Caller,
  court: Court,
  decide: Decide<Verdict>,
): Verdict | Promise<Verdict> {
  const caller = newest(first, court)
  try {
    const verdict = decide(caller)
    if (!(verdict instanceof Promise)) return verdict
    return verdict.catch((problem: unknown) => judgeAnew({ caller, problem }, court, decide))
  } catch (problem) {
    return judgeAnew({ caller, problem }, court, decide)
  }
}

/** What came of judging by a configuration that may not be the newest. */
interface Doubt {
  readonly caller: Caller
  readonly problem: unknown
}

async function judgeAnew<Verdict>(doubt: Doubt, court: Court, decide: Decide<Verdict>): Promise<Verdict> {
  let { caller, problem } = doubt
  for (let turn = 1; turn <= MOST_TURNS; turn += 1) {
    if (!isOfConfiguration(problem)) throw problem
    await readChanges(court.gateway)
    if (court.gateway.snapshot() === caller.snapshot) {
      if (!(problem instanceof ConfigurationChanged)) throw problem
      // It is known to have been changed, and nobody could be asked for it just now. Nothing was taken: it may wait.
      await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS))
    }
    if (turn === MOST_TURNS) break
    caller = newest(caller, court)
    try {
      return await decide(caller)
    } catch (thrown) {
      problem = thrown
    }
  }
  throw unreadable()
}

function newest(before: Caller, { exchange, gateway }: Court): Caller {
  return gateway.snapshot() === before.snapshot ? before : authenticate(exchange, gateway)
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
