import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { drawArrivals } from './arrivals.ts'
import { renderChart } from './chart.ts'
import { type Outcome, simulate } from './simulate.ts'
import { byChance, byRouter, roundRobin, type Strategy } from './strategies.ts'
import { renderTable, stretchesOf, summarise } from './summary.ts'
import { seededRandom, World } from './world.ts'

const CHART = join(import.meta.dirname, '../../docs/routing-simulation.svg')
const STRETCHES = 48

/** Plays the same day for each strategy: the same requests, and the same suppliers in the same trouble. */
function playDay(seed: number): Map<string, Outcome[]> {
  const arrivals = drawArrivals(seededRandom(seed))
  let nowMs = 0
  const clock = { nowMs: () => nowMs }
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

function main(): void {
  const seed = Number(process.argv[2] ?? 1)
  const played = [...playDay(seed)]
  const summaries = played.map(([name, outcomes]) => summarise(name, outcomes))
  console.log(`${summaries[0]?.requests} requests in a simulated day, seed ${seed}\n`)
  console.log(renderTable(summaries))
  const lines = played.map(([name, outcomes]) => ({ name, stretches: stretchesOf(outcomes, STRETCHES) }))
  writeFileSync(CHART, renderChart(lines))
}

main()
