import type { LoadResult } from '../measuring/load-job.ts'
import { runLoad } from '../measuring/measure.ts'
import { median } from '../measuring/statistics.ts'
import { buildPrompt } from '../prompts.ts'
import { buildBody, type Scenario } from '../scenarios.ts'
import { milliseconds, renderBudgets, renderTable } from '../table.ts'
import { withAccounts } from '../targets/gateway.ts'
import type { Target } from '../targets/target.ts'
import { type Bench, compileFor, type GroupResult, inTurn, roundsOf } from './group.ts'

const CONNECTIONS = 64
/** Each has windows, a balance and totals of its own, which a batch of settlements writes once. */
const ACCOUNTS = 200
const GAP_MS = 50
const BIG_KILOBYTES = 300
const BIG_PER_SECOND = 10
/** Beyond what the same arrivals take without anything between, at the median of rounds. */
const ALLOWED = { p99OverBare: 1.5, addedGapP99Ms: 2 }

interface Turn {
  readonly target: string
  readonly steady: LoadResult
  /** null for a target of many accounts. */
  readonly beside: { readonly streams: LoadResult; readonly prompts: LoadResult } | null
}

/** How long the unlucky wait: requests at half load, and chunks while large prompts arrive. */
export async function measureTail(bench: Bench): Promise<GroupResult> {
  const { options, direct, bare, gateway, other } = bench
  const targets = [direct, bare, gateway, other].filter((target) => target !== null)
  const seconds = options.isLong ? 20 : 3
  for (const target of targets) {
    await compileFor(target, WHOLE)
    await streamBesidePrompts(target, bench)
  }
  // The same arrivals for all, or the fastest would be measured under the greatest load.
  const ratePerSecond = Math.floor((await capacityOf(gateway ?? bare)) / 2)
  const many = await Promise.all(
    [gateway, other].filter((target) => target !== null).map((target) => withAccounts(target, ACCOUNTS)),
  )
  for (const target of many) await compileFor(target, WHOLE)
  const turns: Turn[] = []
  for (let round = 1; round <= roundsOf(options, 1); round++) {
    for (const target of inTurn([...targets, ...many], round)) {
      const steady = await runLoad(target, { ...WHOLE, maxSeconds: seconds, ratePerSecond })
      const beside = many.includes(target) ? null : await streamBesidePrompts(target, bench)
      turns.push({ target: target.name, steady, beside })
    }
  }
  const loads = turns.flatMap(({ steady, beside }) => [
    steady,
    ...(beside === null ? [] : [beside.streams, beside.prompts]),
  ])
  return {
    text: render(turns, { ratePerSecond, streams: options.streams }),
    raw: { ratePerSecond, streams: options.streams, turns },
    failures: loads.reduce((sum, { failures }) => sum + failures, 0),
  }
}

const WHOLE: Scenario = {
  name: 'half load',
  connections: CONNECTIONS,
  maxSeconds: 1.5,
  maxRequests: 10_000_000,
  chunks: null,
  body: buildBody('whole reply', false),
}

/** Requests a second, as many as it answers. */
async function capacityOf(target: Target): Promise<number> {
  const { requests, seconds } = await runLoad(target, WHOLE)
  return requests / seconds
}

async function streamBesidePrompts(target: Target, { options }: Bench): Promise<NonNullable<Turn['beside']>> {
  const seconds = options.isLong ? 20 : 4
  const chunks = Math.floor((seconds * 1_000) / GAP_MS)
  const [streams, prompts] = await Promise.all([
    runLoad(target, {
      name: 'streams',
      connections: options.streams,
      maxSeconds: 1,
      maxRequests: options.streams,
      // Begun all at once, they would all send their chunks at once from then on.
      ratePerSecond: options.streams,
      chunks,
      body: buildBody(`chunks=${chunks} gap=${GAP_MS}`, true),
    }),
    runLoad(target, {
      name: 'prompts',
      connections: 8,
      maxSeconds: seconds,
      maxRequests: 1_000_000,
      ratePerSecond: BIG_PER_SECOND,
      chunks: null,
      body: buildPrompt({ kilobytes: BIG_KILOBYTES }),
    }),
  ])
  return { streams, prompts }
}

function render(
  turns: readonly Turn[],
  { ratePerSecond, streams }: { readonly ratePerSecond: number; readonly streams: number },
): string {
  const targets = [...new Set(turns.map(({ target }) => target))]
  const of = (name: string, pick: (turn: Turn) => number) =>
    median(turns.filter(({ target }) => target === name).map(pick))
  const picks = {
    p50: ({ steady }: Turn) => steady.latencyUs.p50,
    p99: ({ steady }: Turn) => steady.latencyUs.p99,
    p999: ({ steady }: Turn) => steady.latencyUs.p999,
    gap50: ({ beside }: Turn) => beside?.streams.gapUs.p50 ?? 0,
    gap99: ({ beside }: Turn) => beside?.streams.gapUs.p99 ?? 0,
    prompt99: ({ beside }: Turn) => beside?.prompts.latencyUs.p99 ?? 0,
  }
  const shown = (us: number) => (us === 0 ? '–' : milliseconds(us))
  const head = ['', 'p50 ms', 'p99 ms', 'p99.9 ms', 'chunks p50 ms', 'chunks p99 ms', 'prompts p99 ms']
  const rows = targets.map((target) => [
    target,
    ...Object.values(picks).map((pick) => shown(of(target, pick))),
  ])
  const title = `At ${ratePerSecond} requests a second, half of what the gateway can do; then the time between chunks, sent ${GAP_MS} ms apart in ${streams} streams while ${BIG_PER_SECOND} prompts of ${BIG_KILOBYTES} KB a second arrive`
  const table = `${title}\n${renderTable([head, ...rows])}`
  if (!targets.includes('gateway')) return table
  const p99Times = of('gateway', picks.p99) / of('bare', picks.p99)
  const addedGapMs = (of('gateway', picks.gap99) - of('direct', picks.gap99)) / 1_000
  return `${table}\n\n${renderBudgets([
    { what: 'p99 at half load, × bare', measured: p99Times, allowed: ALLOWED.p99OverBare },
    { what: 'p99 between chunks, ms added', measured: addedGapMs, allowed: ALLOWED.addedGapP99Ms },
  ])}`
}
