import { drawArrivals } from './arrivals.ts'
import { type Outcome, simulate } from './simulate.ts'
import { byChance, byRouter, roundRobin, type Strategy } from './strategies.ts'
import { seededRandom, World } from './world.ts'

/** Plays the same day for each strategy: the same requests, and the same suppliers in the same trouble. */
export function playDay(seed: number, conversations?: number): Map<string, Outcome[]> {
  const arrivals = drawArrivals(seededRandom(seed), conversations)
  let nowMs = 0
  const clock = { nowMs: () => nowMs, monotonicMs: () => nowMs }
  const tellTime = (timeMs: number) => {
    nowMs = timeMs
  }
  const strategies: readonly Strategy[] = [
    byRouter(clock, seededRandom(seed + 1)),
    roundRobin(),
    byChance(seededRandom(seed + 2)),
  ]
  return new Map(
    strategies.map((strategy) => {
      const world = new World(seededRandom(seed + 3), seededRandom(seed + 4))
      return [strategy.name, simulate(arrivals, { strategy, world, tellTime })]
    }),
  )
}
