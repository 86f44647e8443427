import { type Measurement, measure } from '../measuring/measure.ts'
import { median } from '../measuring/statistics.ts'
import type { Options } from '../options.ts'
import type { StartedProcess } from '../process-group.ts'
import { makePlan } from '../scenarios.ts'
import type { Target, TargetContext } from '../targets/target.ts'

/** What every group of rows has at hand. */
export interface Bench extends TargetContext {
  readonly options: Options
  readonly direct: Target
  readonly bare: Target
  /** Null when it is not wanted. */
  readonly gateway: Target | null
  readonly peers: readonly Target[]
}

export interface GroupResult {
  /** Tables and budgets, for people. */
  readonly text: string
  /** Every number that was measured. */
  readonly raw: unknown
  /** Requests that should not have failed. */
  readonly failures: number
}

export type Group = (bench: Bench) => Promise<GroupResult>

const warmed = new WeakSet<StartedProcess>()

/**
 * Until code is compiled, the compiler's own threads are a visible part of what is measured. A target is warmed once,
 * whichever group needs it first.
 */
export async function warmUp(targets: readonly Target[]): Promise<void> {
  const cold = targets.filter((target) => !warmed.has(target.process))
  for (const scenario of makePlan(false).warmUp.filter(({ isTranslated }) => !isTranslated)) {
    for (const target of cold) await measure(target, scenario, 0)
  }
  noteWarm(cold)
}

export function noteWarm(targets: readonly Target[]): void {
  for (const target of targets) warmed.add(target.process)
}

export function rounds({ isLong }: Options, short = 3): number {
  return isLong ? 8 : short
}

export function medianOf(
  measured: readonly Measurement[],
  names: { readonly target: string; readonly scenario: string },
  pick: (one: Measurement) => number,
): number {
  return median(
    measured
      .filter(({ target, scenario }) => target === names.target && scenario === names.scenario)
      .map(pick),
  )
}

export function failuresOf(measured: readonly Measurement[]): number {
  return measured.reduce((sum, { load }) => sum + load.failures, 0)
}
