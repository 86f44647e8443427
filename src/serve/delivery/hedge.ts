import type { PreparedRequest } from '../admission/prepared-request.ts'
import type { Exchange } from '../ports/exchange.ts'
import type { CallResult } from './call-result.ts'
import { type AttemptOutcome, type AttemptParts, attemptWithRepairs } from './attempt.ts'
import { type CandidateQueue, MAX_ATTEMPTS, type ReadyCandidate } from './candidate-queue.ts'

/**
 * After how long a second candidate is asked as well; null: never. Only models whose operator has allowed it, since the
 * loser's work is paid for too, and only whole replies: of two streams one would have to be thrown away half-read.
 */
export function hedgeAfterMsOf({ target, request }: PreparedRequest): number | null {
  const { hedgeAfterMs } = target.model.capabilities
  if (request.facts.stream || typeof hedgeAfterMs !== 'number' || !(hedgeAfterMs > 0)) return null
  return hedgeAfterMs
}

export interface HedgeParts extends AttemptParts {
  readonly hedgeAfterMs: number
}

/** Asks one candidate, and a second one when the first takes long. The first good answer counts, the other call ends. */
export async function attemptHedged(
  ready: ReadyCandidate,
  line: CandidateQueue,
  parts: HedgeParts,
): Promise<AttemptOutcome> {
  const first = new Runner(ready, parts)
  const isSlow = await outlasts(first.tried, parts.hedgeAfterMs)
  const mayHedge = isSlow && parts.admission.attempts.length + 1 < MAX_ATTEMPTS
  const other = mayHedge ? await line.next() : null
  if (other === null) return first.tried
  return firstGood(first, new Runner({ ...other, reason: 'hedge' }, parts))
}

// Its end belongs in the record of the request and comes at once, unless it waits for what cannot be called off.
const FAREWELL_MS = 50

async function firstGood(one: Runner, other: Runner): Promise<AttemptOutcome> {
  const early = await Promise.race([one.arrival(other), other.arrival(one)])
  if (isGood(early.tried.answer) || early.tried.answer.type === 'client-left') {
    early.rival.cancel()
    await outlasts(early.rival.tried, FAREWELL_MS)
    return early.tried
  }
  return early.rival.tried
}

function isGood({ type }: CallResult): boolean {
  return type === 'whole' || type === 'stream'
}

/** One of two calls that race; it can be called off without the client having left. */
class Runner {
  readonly tried: Promise<AttemptOutcome>
  #isCancelled = false
  readonly #onCancel = new Set<() => void>()

  constructor(ready: ReadyCandidate, parts: AttemptParts) {
    this.tried = attemptWithRepairs(ready, {
      ...parts,
      client: this.#clientOf(parts.admission.prepared.exchange),
      isOvertaken: () => this.#isCancelled,
    })
  }

  async arrival(rival: Runner): Promise<{ readonly tried: AttemptOutcome; readonly rival: Runner }> {
    return { tried: await this.tried, rival }
  }

  cancel(): void {
    this.#isCancelled = true
    for (const stop of this.#onCancel) stop()
  }

  #clientOf(exchange: Exchange): Pick<Exchange, 'onLeave'> {
    return {
      onLeave: (listener) => {
        // Called off between two calls, when nobody was listening.
        if (this.#isCancelled) listener()
        this.#onCancel.add(listener)
        const stopListening = exchange.onLeave(listener)
        return () => {
          this.#onCancel.delete(listener)
          stopListening()
        }
      },
    }
  }
}

async function outlasts(work: Promise<unknown>, patienceMs: number): Promise<boolean> {
  const { promise: isOver, resolve } = Promise.withResolvers<boolean>()
  const timer = setTimeout(() => resolve(true), patienceMs)
  try {
    return await Promise.race([work.then(() => false), isOver])
  } finally {
    clearTimeout(timer)
  }
}
