import { afterEach, expect, test } from 'bun:test'
import {
  environmentOf,
  type GatewayProcess,
  makeFolder,
  removeFolder,
  startProcess,
  stopProcess,
} from '../robustness/support/gateway-process.ts'
import { makeDatabase } from '../robustness/support/own-database.ts'
import { chat, say } from '../support/chat.ts'
import { eventually } from '../support/eventually.ts'
import { type Collector, startCollector } from './collector.ts'

const cleanUps: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

interface Customer {
  readonly accountId: string
  readonly key: string
  /** The ids of its requests, one after the other. */
  readonly asked: string[]
}

async function openCustomer(gateway: GatewayProcess): Promise<Customer> {
  const { id } = await gateway.operator<{ id: string }>('POST', '/accounts', { name: 'Customer' })
  await gateway.operator('PATCH', `/accounts/${id}`, { credit_line: null })
  const { secret } = await gateway.operator<{ secret: string }>('POST', `/accounts/${id}/keys`, { name: 'k' })
  return { accountId: id, key: secret, asked: [] }
}

async function ask(gateway: GatewayProcess, { key, asked }: Customer, times: number): Promise<void> {
  for (let call = 0; call < times; call += 1) {
    const response = await chat(gateway.url, say('hi'), { key })
    await response.arrayBuffer()
    expect(response.status).toBe(200)
    asked.push(response.headers.get('x-request-id') ?? '')
  }
}

const askAll = (gateway: GatewayProcess, customers: readonly Customer[], times: number) =>
  Promise.all(customers.map((customer) => ask(gateway, customer, times)))

/** A gateway whose sink takes a first part, is away, and is sent the rest when the gateway is killed. */
async function killWhileSending(gateway: GatewayProcess, collector: Collector, customers: Customer[]) {
  await askAll(gateway, customers, 3)
  await eventually('the first part', () => collector.requestIds().length === 6)
  collector.state.mood = 'away'
  await askAll(gateway, customers, 10)
  await eventually('a failed try', () => collector.state.refused > 0)
  collector.state.mood = 'silent'
  await eventually('a batch without an answer', () => collector.requestIds().length > 6)
  // Some of these are answered and in the journal only, and some are under way.
  const running = customers.map((customer) => ask(gateway, customer, 1_000).catch(() => undefined))
  await eventually('more requests', () => customers.every(({ asked }) => asked.length > 15))
  gateway.signal('SIGKILL')
  await Promise.all([gateway.exited, ...running])
}

async function checkCrash(environment: Readonly<Record<string, string>>): Promise<void> {
  const collector = startCollector()
  const folder = makeFolder()
  cleanUps.push(
    () => collector.stop(),
    () => removeFolder(folder),
  )
  const start = async () => {
    const gateway = await startProcess(environmentOf(folder, environment))
    cleanUps.push(() => stopProcess(gateway))
    return gateway
  }
  const first = await start()
  const sink = { target: collector.url, events: false, wait_seconds: 0 }
  await first.operator('PUT', '/sinks/warehouse', sink)
  const customers = [await openCustomer(first), await openCustomer(first)]
  await killWhileSending(first, collector, customers)
  const repeated = collector.requestIds().slice(6)

  collector.state.mood = 'away'
  collector.state.refused = 0
  const second = await start()
  await eventually('a failed try after the restart', () => collector.state.refused > 0)
  await askAll(second, customers, 3)
  collector.state.mood = 'there'
  const asked = new Set(customers.flatMap((customer) => customer.asked))
  await eventually('every settlement', () => asked.isSubsetOf(new Set(collector.requestIds())))

  const got = collector.requestIds()
  expect(got.length - new Set(got).size).toBe(repeated.length)
  expect(got.slice(6 + repeated.length, 6 + 2 * repeated.length)).toEqual(repeated)
  for (const { accountId, asked } of customers) {
    const ofAccount = collector.settlements().filter(({ account_id }) => account_id === accountId)
    const inOrder = [...new Set(ofAccount.map(({ request_id }) => request_id))]
    // A request that was cut off by the crash is settled too; its id never reached the customer.
    expect(inOrder.filter((id) => asked.includes(id))).toEqual(asked)
    expect(inOrder.length).toBeWithin(asked.length, asked.length + 2)
  }
  await eventually('an empty backlog', async () => {
    const { progress } = await second.operator<{ progress: Record<string, unknown> }>(
      'GET',
      '/sinks/warehouse',
    )
    return progress.waiting === 0 && progress.lost === 0
  })
}

test('kill -9 while a batch is sent: every settlement arrives, in order for each account', async () => {
  await checkCrash({})
}, 300_000)

test.skipIf(!process.env.TEST_DATABASE_URL)(
  'the same on PostgreSQL',
  async () => {
    const database = await makeDatabase()
    if (database === null) throw new Error('TEST_DATABASE_URL is not set')
    cleanUps.push(() => database.drop())
    await checkCrash({ DATABASE_URL: database.url, TURNPIKE_NODE_LEASE_SECONDS: '2' })
  },
  90_000,
)
