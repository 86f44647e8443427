import { type Measurement, measure } from '../measuring/measure.ts'
import { median } from '../measuring/statistics.ts'
import type { Options } from '../options.ts'
import type { StartedProcess } from '../process-group.ts'
import { makePlan, type Scenario } from '../scenarios.ts'
import type { Target, TargetContext } from '../targets/target.ts'

/** What every group of rows has at hand. */
export interface Bench extends TargetContext {
  readonly options: Options
  readonly direct: Target
  readonly bare: Target
  /** Null when it is not wanted. */
  readonly gateway: Target | null
  /** The gateway of another checkout; null without one. */
  readonly other: Target | null
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

// The compiler works in bursts, so a single quiet round may lie between two.
const QUIET_ROUNDS = 2
const QUIET_SHARE = 0.02
const MOST_ROUNDS = 15
const WARM_SECONDS = 4

/**
 * Sends one kind of traffic until hardly anything is compiled any more, for a minute at most. A gateway serves for weeks; in
 * its first seconds its threads that compile take a good part of its time, and its code is not yet fast.
 */
export async function compileFor(target: Target, scenario: Scenario, restMs = 0): Promise<Measurement[]> {
  const rounds: Measurement[] = []
  for (let quiet = 0; quiet < QUIET_ROUNDS && rounds.length < MOST_ROUNDS; ) {
    const round = await measure(target, { ...scenario, maxSeconds: WARM_SECONDS }, 0)
    rounds.push(round)
    await Bun.sleep(restMs)
    quiet = round.compilerUs < QUIET_SHARE * round.cpuUs ? quiet + 1 : 0
  }
  return rounds
}

export function noteWarm(targets: readonly Target[]): void {
  for (const target of targets) warmed.add(target.process)
}

export function roundsOf({ isLong, rounds }: Options, short: number): number {
  return rounds ?? (isLong ? 8 : short)
}

/** Who comes after another finds the machine warmer, so the order alternates. */
export function inTurn<One>(all: readonly One[], round: number): readonly One[] {
  return round % 2 === 0 ? all.toReversed() : all
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
