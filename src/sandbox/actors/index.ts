import type { Fault } from '../faults.ts'
import type { Ask } from '../performance/ask.ts'
import type { Actor } from './actor.ts'
import { chat } from './chat.ts'
import { image, imageBase64 } from './image.ts'
import { specialists } from './specialists.ts'
import { act, reasoner, tools } from './tools.ts'

/** Everyone on stage, in the order the model list shows them. */
export function createActors(pace: SlowPace): readonly Actor[] {
  return [talker, reasoner, tools, createSlow(pace), flaky, completion, image, imageBase64, ...specialists]
}

/** Like every real model, it calls a tool when it must. */
const speak: Actor['speak'] = (ask, choice) => (mustCall(ask) ? act(ask, choice) : chat.speak(ask, choice))
const talker: Actor = { ...chat, speak }

const completion: Actor = {
  model: 'sandbox-completion',
  summary: 'Talks back like sandbox-chat, and takes requests for text completions too.',
  completes: true,
  speak,
}

function mustCall({ toolChoice }: Ask): boolean {
  return toolChoice.type === 'required' || toolChoice.type === 'named'
}

const CALLS_PER_FAILURE = 3

const FAILURES: readonly Fault[] = [
  { type: 'status', status: 500 },
  { type: 'status', status: 429, retryAfterSeconds: 1 },
  { type: 'cut', afterPieces: 2 },
]

export const flaky: Actor = {
  model: 'sandbox-flaky',
  summary: 'Talks back, but every third call fails: in turn with 500, 429 and a cut connection.',
  speak,
  misbehave: (callNumber) => {
    if (callNumber % CALLS_PER_FAILURE !== 0) return null
    const failure = callNumber / CALLS_PER_FAILURE - 1
    return FAILURES[failure % FAILURES.length] ?? null
  },
}

export interface SlowPace {
  readonly beforeFirstByteMs: number
  readonly betweenPiecesMs: number
}

function createSlow(pace: SlowPace): Actor {
  return {
    model: 'sandbox-slow',
    summary: 'Talks back slowly: pauses before the first byte and between pieces.',
    speak,
    misbehave: () => ({ type: 'latency', ...pace }),
  }
}
