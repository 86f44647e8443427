import type { Random } from '../../src/rules/routing/routing-settings.ts'
import { DAY_MS } from './world.ts'

/** One request: a turn of a conversation. */
export interface Arrival {
  readonly atMs: number
  readonly conversation: string
  readonly promptTokens: number
  readonly outputTokens: number
}

const CONVERSATIONS = 18_000
const MEAN_TURNS = 6
const MEAN_PAUSE_MS = 40_000
const TOKENS_EACH_TURN = 700

/** Conversations that begin more often by day than by night, each of them growing with every turn. */
export function drawArrivals(random: Random, conversations = CONVERSATIONS): Arrival[] {
  const arrivals: Arrival[] = []
  for (let index = 0; index < conversations; index += 1) {
    let atMs = drawBeginning(random)
    const turns = 1 + Math.floor(-Math.log(1 - random()) * (MEAN_TURNS - 0.5))
    for (let turn = 1; turn <= turns && atMs < DAY_MS; turn += 1) {
      const promptTokens = TOKENS_EACH_TURN * turn
      arrivals.push({
        atMs,
        conversation: `c${index}`,
        promptTokens,
        outputTokens: 100 + Math.floor(random() * 500),
      })
      atMs += -Math.log(1 - random()) * MEAN_PAUSE_MS
    }
  }
  return arrivals.sort((one, other) => one.atMs - other.atMs)
}

/** Drawn again until it fits a day whose noon is four times as busy as its midnight. */
function drawBeginning(random: Random): number {
  for (;;) {
    const atMs = random() * DAY_MS
    const busyness = 0.625 - 0.375 * Math.cos((2 * Math.PI * atMs) / DAY_MS)
    if (random() < busyness) return atMs
  }
}
