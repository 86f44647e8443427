import type { Exchange } from '../ports/exchange.ts'
import { type Attempted, type AttemptParts, attempt } from './attempt.ts'
import { type CandidateQueue, MAX_ATTEMPTS, type ReadyCandidate } from './candidate-queue.ts'

export interface HedgeParts extends AttemptParts {
  readonly hedgeAfterMs: number
}

/** Calls one candidate, and a second one when the first is slow. The first good answer counts, the other call ends. */
export async function attemptHedged(
  ready: ReadyCandidate,
  queue: CandidateQueue,
  parts: HedgeParts,
): Promise<Attempted> {
  const first = new Runner(ready, parts)
  const isSlow = await outlasts(first.tried, parts.hedgeAfterMs)
  const mayHedge = isSlow && parts.admission.attempts.length + 1 < MAX_ATTEMPTS
  const other = mayHedge ? await queue.next() : null
  if (other === null) return first.tried
  return firstGood(first, new Runner({ ...other, reason: 'hedge' }, parts))
}

// A cancelled call usually ends at once, and then it is in the record of the request.
const CANCEL_WAIT_MS = 50

async function firstGood(one: Runner, other: Runner): Promise<Attempted> {
  const early = await Promise.race([one.arrival(other), other.arrival(one)])
  // Both calls end at once when the client leaves.
  if (early.tried.result.type === 'client-left') return { ...(await one.tried), rival: await other.tried }
  if (early.tried.result.type !== 'failed') {
    early.rival.cancel()
    await outlasts(early.rival.tried, CANCEL_WAIT_MS)
    return early.tried
  }
  return early.rival.tried
}

/** One of two calls that race; it can be cancelled while the client stays. */
class Runner {
  readonly tried: Promise<Attempted>
  #isCancelled = false
  readonly #onCancel = new Set<() => void>()

  constructor(ready: ReadyCandidate, parts: AttemptParts) {
    this.tried = attempt(ready, {
      ...parts,
      client: this.#clientOf(parts.admission.prepared.exchange),
      isOvertaken: () => this.#isCancelled,
    })
  }

  async arrival(rival: Runner): Promise<{ readonly tried: Attempted; readonly rival: Runner }> {
    return { tried: await this.tried, rival }
  }

  cancel(): void {
    this.#isCancelled = true
    for (const stop of this.#onCancel) stop()
  }

  #clientOf(exchange: Exchange): Pick<Exchange, 'onLeave'> {
    return {
      onLeave: (listener) => {
        // It may have been cancelled between two calls.
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

/** Whether the work takes longer than this. */
async function outlasts(work: Promise<unknown>, patienceMs: number): Promise<boolean> {
  const { promise: isOver, resolve } = Promise.withResolvers<boolean>()
  const timer = setTimeout(() => resolve(true), patienceMs)
  try {
    return await Promise.race([work.then(() => false), isOver])
  } finally {
    clearTimeout(timer)
  }
}
