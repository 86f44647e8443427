import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { renderChart } from './chart.ts'
import { playDay } from './play-day.ts'
import { renderTable, stretchesOf, summarise } from './summary.ts'

const CHART = join(import.meta.dirname, '../../docs/suppliers/routing-simulation.svg')
const STRETCHES = 48

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
