import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { measure } from './measuring/measure.ts'
import { geometricMean, median } from './measuring/statistics.ts'
import { ProcessGroup } from './process-group.ts'
import { makePlan, type Scenario } from './scenarios.ts'
import { startCheckout } from './targets/checkout.ts'
import { startDirect } from './targets/direct.ts'
import { startGateway } from './targets/gateway.ts'
import type { Target } from './targets/target.ts'

/**
 * Two checkouts of the gateway take turns in one run: `bun bench/versions.ts <other checkout> [starts] [rounds]`. Every
 * start of a program lays out its memory and its compiled code differently, which alone makes it some percent faster or
 * slower for as long as it runs, so both are started several times. The one that is started second is slower too, so they
 * take turns in that as well.
 */
const [other, starts = '6', rounds = '5'] = process.argv.slice(2)
if (other === undefined)
  throw new Error('Name the folder of the other checkout, with its packages installed.')

/** The other checkout, then this one, whichever is started first. */
async function startBoth(
  processes: ProcessGroup,
  folder: string,
  isOtherFirst: boolean,
): Promise<readonly Target[]> {
  const direct = await startDirect(processes)
  const context = { processes, upstreamPort: direct.port, folder }
  const openOther = () => startCheckout(context, other ?? '', 'other')
  const openThis = () => startGateway(context, { name: 'this', environment: {} })
  if (isOtherFirst) return [await openOther(), await openThis()]
  const current = await openThis()
  return [await openOther(), current]
}

/** CPU in µs per request or chunk, for each round of each target. */
async function measureRounds(targets: readonly Target[], scenario: Scenario): Promise<number[][]> {
  const found: number[][] = targets.map(() => [])
  for (let round = 0; round < Number(rounds); round += 1) {
    // The first target warms the machine for the second, so the order alternates.
    const order = [...targets.keys()]
    for (const index of round % 2 === 0 ? order : order.toReversed()) {
      const target = targets[index]
      if (target === undefined) continue
      const { cpuUsPerChunk, cpuUsPerRequest } = await measure(target, scenario, round)
      found[index]?.push(cpuUsPerChunk ?? cpuUsPerRequest)
    }
  }
  return found
}

/** The ratio of this checkout to the other, and the two medians, for each row of one start. */
async function measureStart(start: number): Promise<readonly number[][]> {
  const folder = mkdtempSync(join(tmpdir(), 'turnpike-bench-'))
  const processes = new ProcessGroup(folder)
  try {
    const targets = await startBoth(processes, folder, start % 2 === 1)
    for (const scenario of plan.warmUp) for (const target of targets) await measure(target, scenario, 0)
    const found: number[][] = []
    for (const scenario of plan.repeated) {
      const [before = 0, after = 0] = (await measureRounds(targets, scenario)).map(median)
      found.push([after / before, before, after])
    }
    console.error(`start ${start}: ${found.map(([ratio = 0]) => ratio.toFixed(3)).join(' ')}`)
    return found
  } finally {
    await processes.stop()
  }
}

const plan = makePlan(false)
const measured: (readonly number[][])[] = []
for (let start = 1; start <= Number(starts); start += 1) measured.push(await measureStart(start))
console.log('CPU µs per request or chunk    other     this     ratio    least     most')
for (const [row, { name }] of plan.repeated.entries()) {
  const column = (index: number) => measured.map((rows) => rows[row]?.[index] ?? 0)
  const ratios = column(0)
  const cells = [
    median(column(1)).toFixed(1),
    median(column(2)).toFixed(1),
    geometricMean(ratios).toFixed(3),
    Math.min(...ratios).toFixed(3),
    Math.max(...ratios).toFixed(3),
  ]
  console.log(name.padEnd(28), cells.map((cell) => cell.padStart(8)).join(' '))
}
