import { FIGURE_NAMES } from '../../../rules/ledger/aggregate.ts'
import type { UsageFigures } from '../../../vocabulary/settlement.ts'
import type { ExploreStore, FigurePoint } from '../../ports/explore/explore.ts'
import type { LargestQuestion, LargestUsage } from '../../ports/ledger.ts'

type Sums = Record<string, bigint>

/** The groups that cost the most, and in each period what all others come to together. */
export async function readLargestUsage(
  store: Pick<ExploreStore, 'rankGroups' | 'readFigures'>,
  { span, filter, by, top }: LargestQuestion,
): Promise<LargestUsage[]> {
  const question = { source: 'usage', figures: FIGURE_NAMES, span, filter } as const
  const ranked = await store.rankGroups({ ...question, figures: ['amountNano'] }, by, top + 1)
  const names = ranked.slice(0, top)
  const largest = names.length === 0 ? [] : await store.readFigures(question, { by, names })
  const shown = largest.map(({ startMs, group, sums }) => ({
    startMs,
    group: group === '' ? null : group,
    isRest: false,
    figures: figuresFrom(sums),
  }))
  if (ranked.length <= top) return shown
  return [...shown, ...restOf(await store.readFigures(question, null), largest)]
}

function restOf(all: readonly FigurePoint[], largest: readonly FigurePoint[]): LargestUsage[] {
  const left = new Map(all.map(({ startMs, sums }): [number, Sums] => [startMs, { ...sums }]))
  for (const { startMs, sums } of largest) {
    const rest = left.get(startMs)
    if (rest === undefined) continue
    for (const name of FIGURE_NAMES) rest[name] = (rest[name] ?? 0n) - (sums[name] ?? 0n)
  }
  return [...left]
    .filter(([, sums]) => Object.values(sums).some((sum) => sum !== 0n))
    .map(([startMs, sums]) => ({ startMs, group: null, isRest: true, figures: figuresFrom(sums) }))
}

function figuresFrom(sums: Readonly<Sums>): UsageFigures {
  const { amountNano = 0n, marginNano = 0n, ...counts } = sums
  const numbers = Object.entries(counts).map(([name, sum]) => [name, Number(sum)])
  return {
    ...(Object.fromEntries(numbers) as Omit<UsageFigures, 'amountNano' | 'marginNano'>),
    amountNano,
    marginNano,
  }
}
