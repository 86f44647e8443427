import { type Measurement, measure } from '../measuring/measure.ts'
import { makePlan, type Scenario } from '../scenarios.ts'
import type { Target } from '../targets/target.ts'
import { type Bench, failuresOf, type GroupResult, noteWarm } from './group.ts'
import { type LeftOut, renderRequests } from './requests-report.ts'

/** Only one target is under load at a time, and all take turns, so that a slow minute of the machine hits all. */
export async function measureRequests(bench: Bench): Promise<GroupResult> {
  const { options, direct, bare, gateway, peers } = bench
  const targets = [direct, bare, ...(gateway === null ? [] : [gateway]), ...peers]
  const plan = makePlan(options.isLong)
  const leftOut: LeftOut[] = []
  for (const scenario of plan.warmUp) {
    for (const target of targetsFor(scenario, targets)) {
      if (isLeftOut(leftOut, target, scenario)) continue
      const reason = await tryOut(target, { scenario, isPeer: peers.includes(target) })
      if (reason !== null) leftOut.push({ target: target.name, streams: scenario.chunks !== null, reason })
    }
  }
  noteWarm(targets)
  const measurements: Measurement[] = []
  const turn = async (scenario: Scenario, round: number) => {
    for (const target of targetsFor(scenario, targets)) {
      if (!isLeftOut(leftOut, target, scenario)) measurements.push(await measure(target, scenario, round))
    }
  }
  for (let round = 1; round <= plan.rounds; round++) {
    for (const scenario of plan.repeated) await turn(scenario, round)
  }
  for (const scenario of plan.once) await turn(scenario, 1)
  const ours = measurements.filter(({ target }) => !peers.some(({ name }) => name === target))
  return {
    text: renderRequests({ measurements, leftOut }),
    raw: { measurements, leftOut },
    failures: failuresOf(ours),
  }
}

function targetsFor({ isTranslated }: Scenario, targets: readonly Target[]): readonly Target[] {
  return isTranslated ? targets.filter(({ name }) => name === 'gateway') : targets
}

function isLeftOut(leftOut: readonly LeftOut[], { name }: Target, { chunks }: Scenario): boolean {
  return leftOut.some(({ target, streams }) => target === name && streams === (chunks !== null))
}

/**
 * Says what is wrong with a peer's answers, so that its error pages are not measured as if they were answers.
 * Our own programs have no such excuse.
 */
async function tryOut(
  target: Target,
  { scenario, isPeer }: { readonly scenario: Scenario; readonly isPeer: boolean },
): Promise<string | null> {
  const { load } = await measure(target, scenario, 0)
  if (load.failures === 0) return null
  const reason = `${load.failures} of ${load.requests} requests failed while warming up: ${load.firstFailure}`
  if (isPeer) return reason
  throw new Error(`${target.name}: ${reason}. It printed:\n${target.process.tail()}`)
}
