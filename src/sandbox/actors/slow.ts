import type { Actor } from './actor.ts'
import { chat } from './chat.ts'

export interface SlowPace {
  readonly beforeFirstByteMs: number
  readonly betweenPiecesMs: number
}

export function createSlow(pace: SlowPace): Actor {
  return {
    model: 'sandbox-slow',
    summary: 'Talks back slowly: pauses before the first byte and between pieces.',
    speak: chat.speak,
    misbehave: () => ({ type: 'latency', ...pace }),
  }
}
