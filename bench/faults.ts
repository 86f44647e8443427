import { FAULT_SERIES, runFaultSeries } from '../test/support/fault-series.ts'

/** What a failing supplier costs the clients of a model that has a second one: `bun bench/faults.ts`. */
const REQUESTS = 1_000

console.log(`${REQUESTS} requests one after the other, every second one streamed; times in milliseconds\n`)
console.log(
  '| first supplier | failed for the client | met the failing supplier | mean | p50 | p99 | longest |',
)
console.log('|---|--:|--:|--:|--:|--:|--:|')
for (const [name, fault] of [['works', null] as const, ...FAULT_SERIES]) {
  const { failures, touched, latenciesMs } = await runFaultSeries(fault, REQUESTS)
  const sorted = latenciesMs.toSorted((one, other) => one - other)
  const at = (share: number) =>
    (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(2)
  const mean = (sorted.reduce((sum, each) => sum + each, 0) / sorted.length).toFixed(2)
  console.log(`| ${name} | ${failures.length} | ${touched} | ${mean} | ${at(0.5)} | ${at(0.99)} | ${at(1)} |`)
}
