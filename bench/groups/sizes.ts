import { type Measurement, measure } from '../measuring/measure.ts'
import { buildPrompt } from '../prompts.ts'
import type { Scenario } from '../scenarios.ts'
import { ratio, renderBudgets, renderTable } from '../table.ts'
import { type Target, TRANSLATED_MODEL } from '../targets/target.ts'
import { type Bench, compileFor, failuresOf, type GroupResult, inTurn, medianOf, roundsOf } from './group.ts'

const KILOBYTES = [1, 12, 125, 1_250] as const
/**
 * As multiples of the bare proxy, which parses each request and each answer once and copies the rest. Small requests cost
 * mostly what does not depend on their size.
 */
const ALLOWED_SMALL = { relayed: 1.8, translated: 4 }
const ALLOWED_LARGE = { relayed: 1.5, translated: 3 }
const LARGE_KILOBYTES = 100
const CONNECTIONS = 8
// The largest limit of an account is 2,000 million tokens a minute, which are some 5,000 of the largest requests.
const HUGE_KILOBYTES = 1_000
const HUGE_REQUESTS = 250
const HUGE_REST_MS = 2_000

/** What a request costs by its size. Whole replies, so that only the request grows. */
export async function measureSizes(bench: Bench): Promise<GroupResult> {
  const { options, bare, peers } = bench
  const gateways = [bench.gateway, bench.other].filter((target) => target !== null)
  const relaying = [bare, ...gateways, ...peers]
  const warmUp: Measurement[] = []
  const measured: Measurement[] = []
  for (const kilobytes of KILOBYTES) {
    const relayed = scenarioOf(kilobytes, 'relayed', options.isLong)
    const translated = scenarioOf(kilobytes, 'translated', options.isLong)
    const turns: (readonly [Target, Scenario])[] = relaying.map((target) => [target, relayed])
    for (const gateway of gateways) turns.push([gateway, translated])
    const restMs = kilobytes >= HUGE_KILOBYTES ? HUGE_REST_MS : 0
    for (const [target, scenario] of turns) warmUp.push(...(await compileFor(target, scenario, restMs)))
    for (let round = 1; round <= roundsOf(options, 2); round++) {
      for (const [target, scenario] of inTurn(turns, round)) {
        measured.push(await measure(target, scenario, round))
        await Bun.sleep(restMs)
      }
    }
  }
  const ours = measured.filter(({ target }) => !peers.some(({ name }) => name === target))
  return { text: render(measured, relaying), raw: { warmUp, measured }, failures: failuresOf(ours) }
}

function scenarioOf(kilobytes: number, kind: 'relayed' | 'translated', isLong: boolean): Scenario {
  const model = kind === 'translated' ? { model: TRANSLATED_MODEL } : {}
  return {
    name: `${kind} ${kilobytes}`,
    connections: CONNECTIONS,
    maxSeconds: isLong ? 3 : 0.8,
    maxRequests: kilobytes >= HUGE_KILOBYTES ? HUGE_REQUESTS : 1_000_000,
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
  const has = (target: string, kind = 'relayed') =>
    measured.some((one) => one.target === target && one.scenario.startsWith(kind))
  const rowsOf = (kind: string, ending: string) =>
    relaying
      .filter(({ name }) => has(name, kind))
      .map(({ name }) =>
        rowOf(
          name + ending,
          KILOBYTES.map((kilobytes) => cpu(name, `${kind} ${kilobytes}`)),
        ),
      )
  const rows = [...rowsOf('relayed', ''), ...rowsOf('translated', ', translated')]
  const head = ['CPU µs/request', ...KILOBYTES.flatMap((kilobytes) => [`${kilobytes} KB`, '× bare'])]
  if (!has('gateway')) return renderTable([head, ...rows])
  const budgets = KILOBYTES.flatMap((kilobytes) =>
    (['relayed', 'translated'] as const).map((kind) => ({
      what: `CPU per ${kind} request of ${kilobytes} KB, × bare`,
      measured: cpu('gateway', `${kind} ${kilobytes}`) / base(kilobytes),
      allowed: (kilobytes >= LARGE_KILOBYTES ? ALLOWED_LARGE : ALLOWED_SMALL)[kind],
    })),
  )
  const table = renderTable([head, ...rows])
  return `Request sizes, whole replies, ${CONNECTIONS} connections\n${table}\n\n${renderBudgets(budgets)}`
}
