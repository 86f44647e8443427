import type { Fault } from '../faults.ts'
import type { Actor } from './actor.ts'
import { chat } from './chat.ts'

const CALLS_PER_FAILURE = 3

const FAILURES: readonly Fault[] = [
  { type: 'status', status: 500 },
  { type: 'status', status: 429, retryAfterSeconds: 1 },
  { type: 'cut', afterPieces: 2 },
]

export const flaky: Actor = {
  model: 'sandbox-flaky',
  summary: 'Talks back, but every third call fails: in turn with 500, 429 and a cut connection.',
  speak: chat.speak,
  misbehave: (callNumber) => {
    if (callNumber % CALLS_PER_FAILURE !== 0) return null
    const failure = callNumber / CALLS_PER_FAILURE - 1
    return FAILURES[failure % FAILURES.length] ?? null
  },
}
