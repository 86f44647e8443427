import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { measure } from './measure.ts'
import { ProcessGroup } from './process-group.ts'
import { makePlan, type Scenario } from './scenarios.ts'
import { startDirect } from './targets/direct.ts'
import { startGateway } from './targets/gateway.ts'
import type { Target } from './targets/target.ts'

/** Two checkouts of the gateway take turns in one run: `bun bench/versions.ts <other checkout> [rounds]`. */
const [other, rounds = '15'] = process.argv.slice(2)
if (other === undefined)
  throw new Error('Name the folder of the other checkout, with its packages installed.')

type Start = typeof startGateway

async function startBoth(processes: ProcessGroup, folder: string): Promise<readonly Target[]> {
  const direct = await startDirect(processes)
  const context = { processes, upstreamPort: direct.port, folder }
  const program = join(resolve(other ?? ''), 'bench/targets/gateway.ts')
  const { startGateway: startOther } = (await import(program)) as { startGateway: Start }
  return [
    await startOther(context, { name: 'other', environment: {} }),
    await startGateway(context, { name: 'this', environment: {} }),
  ]
}

/** CPU in µs per request or chunk, for each round of each target. */
async function measureRounds(targets: readonly Target[], scenario: Scenario): Promise<number[][]> {
  const found: number[][] = targets.map(() => [])
  for (let round = 0; round < Number(rounds); round += 1) {
    // Whoever comes second finds another machine than whoever comes first, so they take turns at that too.
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

function median(numbers: readonly number[]): number {
  return numbers.toSorted((one, another) => one - another)[Math.floor(numbers.length / 2)] ?? 0
}

const folder = mkdtempSync(join(tmpdir(), 'turnpike-bench-'))
const processes = new ProcessGroup(folder)
try {
  const targets = await startBoth(processes, folder)
  const plan = makePlan(false)
  for (const scenario of plan.warmUp) for (const target of targets) await measure(target, scenario, 0)
  console.log('CPU µs per request or chunk    other     this   medians   median of pairs   least')
  for (const scenario of plan.repeated) {
    const [before = [], after = []] = await measureRounds(targets, scenario)
    const pairs = median(after.map((value, index) => value / (before[index] ?? value)))
    const cells = [
      median(before).toFixed(1),
      median(after).toFixed(1),
      (median(after) / median(before)).toFixed(3),
      pairs.toFixed(3),
      (Math.min(...after) / Math.min(...before)).toFixed(3),
    ]
    console.log(scenario.name.padEnd(28), cells.map((cell) => cell.padStart(9)).join(' '))
  }
} finally {
  await processes.stop()
  rmSync(folder, { recursive: true, force: true })
}
