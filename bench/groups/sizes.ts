import { type Measurement, measure } from '../measuring/measure.ts'
import { buildPrompt } from '../prompts.ts'
import type { Scenario } from '../scenarios.ts'
import { ratio, renderBudgets, renderTable } from '../table.ts'
import { type Target, TRANSLATED_MODEL } from '../targets/target.ts'
import { type Bench, failuresOf, type GroupResult, medianOf, rounds, warmUp } from './group.ts'

const KILOBYTES = [1, 12, 125, 1_250] as const
/**
 * As multiples of the bare proxy, which parses each request and each answer once and copies the rest. Small requests cost
 * mostly what does not depend on their size.
 */
const ALLOWED_SMALL = { relayed: 1.8, translated: 4 }
const ALLOWED_LARGE = { relayed: 1.5, translated: 3 }
const LARGE_KILOBYTES = 100
const CONNECTIONS = 8

/** What a request costs by its size. Whole replies, so that only the request grows. */
export async function measureSizes(bench: Bench): Promise<GroupResult> {
  const { options, bare, gateway, peers } = bench
  const relaying = [bare, ...(gateway === null ? [] : [gateway]), ...peers]
  await warmUp(relaying)
  const measured: Measurement[] = []
  for (const kilobytes of KILOBYTES) {
    const relayed = scenarioOf(kilobytes, 'relayed', options.isLong)
    const translated = scenarioOf(kilobytes, 'translated', options.isLong)
    const turns: (readonly [Target, Scenario])[] = relaying.map((target) => [target, relayed])
    if (gateway !== null) turns.push([gateway, translated])
    for (const [target, scenario] of turns) await measure(target, { ...scenario, ...WARM_UP }, 0)
    for (let round = 1; round <= rounds(options, 2); round++) {
      for (const [target, scenario] of turns) measured.push(await measure(target, scenario, round))
    }
  }
  const ours = measured.filter(({ target }) => !peers.some(({ name }) => name === target))
  return { text: render(measured, relaying), raw: measured, failures: failuresOf(ours) }
}

// In its first three seconds under load a gateway spends as much on compiling as on serving; the bare proxy hardly any.
const WARM_UP = { maxSeconds: 8 }

function scenarioOf(kilobytes: number, kind: 'relayed' | 'translated', isLong: boolean): Scenario {
  const model = kind === 'translated' ? { model: TRANSLATED_MODEL } : {}
  return {
    name: `${kind} ${kilobytes}`,
    connections: CONNECTIONS,
    maxSeconds: isLong ? 3 : 0.8,
    maxRequests: 1_000_000,
    chunks: null,
    body: buildPrompt({ kilobytes, ...model }),
  }
}

function render(measured: readonly Measurement[], relaying: readonly Target[]): string {
  const cpu = (target: string, scenario: string) =>
    medianOf(measured, { target, scenario }, ({ cpuUsPerRequest }) => cpuUsPerRequest)
  const base = (kilobytes: number) => cpu('bare', `relayed ${kilobytes}`)
  const rowOf = (label: string, cells: readonly number[]) => [
    label,
    ...cells.flatMap((us, index) => [us.toFixed(0), ratio(us, base(KILOBYTES[index] ?? 0))]),
  ]
  const has = (target: string) => measured.some((one) => one.target === target)
  const rows = relaying
    .filter(({ name }) => has(name))
    .map(({ name }) =>
      rowOf(
        name,
        KILOBYTES.map((kilobytes) => cpu(name, `relayed ${kilobytes}`)),
      ),
    )
  const head = ['CPU µs/request', ...KILOBYTES.flatMap((kilobytes) => [`${kilobytes} KB`, '× bare'])]
  if (!has('gateway')) return renderTable([head, ...rows])
  const translated = KILOBYTES.map((kilobytes) => cpu('gateway', `translated ${kilobytes}`))
  const budgets = KILOBYTES.flatMap((kilobytes) =>
    (['relayed', 'translated'] as const).map((kind) => ({
      what: `CPU per ${kind} request of ${kilobytes} KB, × bare`,
      measured: cpu('gateway', `${kind} ${kilobytes}`) / base(kilobytes),
      allowed: (kilobytes >= LARGE_KILOBYTES ? ALLOWED_LARGE : ALLOWED_SMALL)[kind],
    })),
  )
  const table = renderTable([head, ...rows, rowOf('gateway, translated', translated)])
  return `Request sizes, whole replies, ${CONNECTIONS} connections\n${table}\n\n${renderBudgets(budgets)}`
}
