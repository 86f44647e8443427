import { type Measurement, measure } from '../measuring/measure.ts'
import { buildBody, type Scenario } from '../scenarios.ts'
import { milliseconds, ratio, renderTable } from '../table.ts'
import { startGateway } from '../targets/gateway.ts'
import type { Target } from '../targets/target.ts'
import { type Bench, failuresOf, type GroupResult, medianOf, roundsOf, warmUp } from './group.ts'

const NUMBERS = [1, 2] as const

const SCENARIO: Scenario = {
  name: 'workers',
  connections: 32,
  maxSeconds: 1.5,
  maxRequests: 10_000_000,
  chunks: null,
  body: buildBody('whole reply', false),
}

/** What another worker adds, where the machine has processors for it. */
export async function measureWorkers(bench: Bench): Promise<GroupResult> {
  const { options, bare } = bench
  const targets: Target[] = [bare]
  for (const workers of NUMBERS) {
    const environment = { TURNPIKE_WORKERS: String(workers) }
    targets.push(
      await startGateway(bench, { name: `${workers} worker${workers > 1 ? 's' : ''}`, environment }),
    )
  }
  const scenario = { ...SCENARIO, ...(options.isLong && { maxSeconds: 4 }) }
  await warmUp([bare])
  for (const target of targets.slice(1)) await measure(target, { ...scenario, maxSeconds: 6 }, 0)
  const measured: Measurement[] = []
  for (let round = 1; round <= roundsOf(options, 2); round++) {
    for (const target of targets) measured.push(await measure(target, scenario, round))
  }
  await Promise.all(targets.slice(1).map((target) => target.process.stop()))
  return { text: render(measured, targets), raw: measured, failures: failuresOf(measured) }
}

function render(measured: readonly Measurement[], targets: readonly Target[]): string {
  const of = (target: string, pick: (one: Measurement) => number) =>
    medianOf(measured, { target, scenario: SCENARIO.name }, pick)
  const cpu = ({ cpuUsPerRequest }: Measurement) => cpuUsPerRequest
  const perSecond = ({ load }: Measurement) => load.requests / load.seconds
  const rows = targets.map(({ name }) => [
    name,
    of(name, perSecond).toFixed(0),
    ratio(of(name, perSecond), of('1 worker', perSecond)),
    of(name, cpu).toFixed(1),
    ratio(of(name, cpu), of('bare', cpu)),
    milliseconds(of(name, ({ load }) => load.latencyUs.p99)),
  ])
  const head = ['', 'requests/s', '× 1 worker', 'CPU µs/request', '× bare', 'p99 ms']
  return `Workers, whole replies, ${SCENARIO.connections} connections; all processes share the machine\n${renderTable([head, ...rows])}`
}
