import { strict as assert } from 'node:assert'
import { checkLedger } from '../nodes/support/check-ledger.ts'
import { Fleet, openAccount } from '../nodes/support/fleet.ts'
import { FleetLoad } from '../nodes/support/fleet-load.ts'
import { eventually } from '../support/eventually.ts'
import { type FaultContext, type FaultScenario, pick } from './scenario.ts'

const FAULTS = 12
const ENVIRONMENT = { TURNPIKE_NODE_LEASE_SECONDS: '3', TURNPIKE_LOG_LEVEL: 'error' }
const BALANCE_USDT = '0.02'

interface Stage {
  readonly fleet: Fleet
  readonly context: FaultContext
}

/** Each begins something bad and gives what ends it. */
const KINDS: Readonly<Record<string, (stage: Stage) => Promise<() => Promise<void>>>> = {
  'a node is killed': async ({ fleet, context }) => {
    // The first stays, because money is asked for there.
    const index = 1 + pick(context, fleet.nodes.length - 1)
    const node = fleet.node(index)
    node.signal('SIGKILL')
    await node.exited
    return async () => void (await fleet.restart(index))
  },
  'Redis is silent': async ({ fleet }) => {
    fleet.redis.pause()
    return async () => fleet.redis.resume()
  },
  'Redis is emptied': async ({ fleet }) => {
    // Not waited for: a Redis that is silent does it when it speaks again.
    const emptied = fleet.redis.flush().catch(() => undefined)
    return async () => void emptied
  },
  'the supplier fails': async ({ fleet, context }) => {
    const status = [429, 500, 503][pick(context, 3)] ?? 500
    fleet.sandbox.faults.set({ fault: { type: 'status', status } })
    return async () => fleet.sandbox.faults.clear()
  },
  'the supplier cuts streams': async ({ fleet, context }) => {
    fleet.sandbox.faults.set({ fault: { type: 'cut', afterPieces: 1 + pick(context, 4) } })
    return async () => fleet.sandbox.faults.clear()
  },
}

/** Faults that begin and end at random moments, two or three at a time, while two accounts spend. */
export const overlappingFaults: FaultScenario = {
  name: 'overlapping',
  about: 'nodes, Redis and supplier fail at random, overlapping; no answer unbooked, no account overdrawn',
  async run(context) {
    const fleet = await Fleet.start({ size: 3, environment: ENVIRONMENT })
    if (fleet === null) throw new Error('This scenario needs PostgreSQL and Redis.')
    try {
      const rich = await openAccount(fleet.first, {})
      const poor = await openAccount(fleet.first, { balance: BALANCE_USDT })
      const urls = () => fleet.urls
      const loads = [rich, poor].map(
        ({ secret }) => new FleetLoad(urls, { key: secret, clients: 4, pauseMs: 10 }),
      )
      await eventually('traffic', () => loads.every(({ answered }) => answered.length > 20))
      await runFaults({ fleet, context })
      const [steady] = loads
      const before = steady?.answered.length ?? 0
      await eventually(
        'traffic after the last fault',
        () => (steady?.answered.length ?? 0) > before + 50,
        60_000,
      )
      for (const load of loads) await load.stop()
      const { balance } = await fleet.first.operator<{ balance: string }>(
        'GET',
        `/accounts/${poor.accountId}`,
      )
      assert(Number(balance) >= 0, `the balance is ${balance}`)
      await checkLedger(
        fleet,
        loads.flatMap(({ answered }) => answered),
      )
      const answered = loads.reduce((sum, load) => sum + load.answered.length, 0)
      context.log(`${answered} answers are booked, ${balance} of ${BALANCE_USDT} USDT left`)
    } finally {
      await fleet.stop()
    }
  },
}

async function runFaults({ fleet, context }: Stage): Promise<void> {
  const under: { readonly kind: string; readonly end: () => Promise<void> }[] = []
  const endOne = async () => {
    const [ended] = under.splice(pick(context, under.length), 1)
    if (ended === undefined) return
    await ended.end()
    context.log(`  over: ${ended.kind}`)
  }
  for (let count = 0; count < FAULTS * context.scale; count += 1) {
    const free = Object.keys(KINDS).filter((kind) => !under.some((one) => one.kind === kind))
    const kind = free[pick(context, free.length)] ?? ''
    const begin = KINDS[kind]
    if (begin === undefined) continue
    context.log(`  now: ${kind}`)
    under.push({ kind, end: await begin({ fleet, context }) })
    await Bun.sleep(200 + pick(context, 800))
    if (under.length > 2 || context.random() < 0.4) await endOne()
  }
  while (under.length > 0) await endOne()
}
