import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { OpenAI } from 'openai'
import type { ResponseStreamEvent } from 'openai/resources/responses/responses'
import { type Sandbox, startSandbox } from '../../src/sandbox/server.ts'
import {
  BOOTSTRAP_KEY,
  environmentOf,
  type GatewayProcess,
  makeFolder,
  removeFolder,
  startProcess,
  stopProcess,
} from '../robustness/support/gateway-process.ts'
import { makeDatabase } from '../robustness/support/own-database.ts'
import { readStoredLedger } from '../robustness/support/stored-ledger.ts'
import { addSupply } from '../robustness/support/supply.ts'
import { eventually } from '../support/eventually.ts'

const model = 'robust-chat'

let folder = ''
let sandbox: Sandbox
let gateway: GatewayProcess

beforeEach(() => {
  folder = makeFolder()
  sandbox = startSandbox()
})

afterEach(async () => {
  await stopProcess(gateway)
  await sandbox.stop()
  removeFolder(folder)
})

type Environment = Readonly<Record<string, string>>

async function start(environment: Environment = {}): Promise<OpenAI> {
  gateway = await startProcess(environmentOf(folder, { TURNPIKE_SANDBOX: 'off', ...environment }))
  return new OpenAI({ apiKey: BOOTSTRAP_KEY, baseURL: `${gateway.url}/v1`, maxRetries: 0 })
}

async function startSupplied(environment: Environment = {}): Promise<OpenAI> {
  const client = await start(environment)
  await addSupply(gateway, { baseUrl: `${sandbox.url}/v1` })
  return client
}

// It takes much longer than a test.
const LONG_TEXT = `say: ${'word '.repeat(20_000)}`

/** Events up to the first piece of text, of an answer that does not end. */
async function streamUntilText(client: OpenAI): Promise<{ id: string; seen: ResponseStreamEvent[] }> {
  sandbox.faults.set({ fault: { type: 'latency', betweenPiecesMs: 200 } })
  const seen: ResponseStreamEvent[] = []
  const stream = await client.responses.create({ model, input: LONG_TEXT, background: true, stream: true })
  for await (const event of stream) {
    seen.push(event)
    if (event.type === 'response.output_text.delta') break
  }
  const [first] = seen
  if (first?.type !== 'response.created') throw new Error('it was not created')
  return { id: first.response.id, seen }
}

async function restOf(client: OpenAI, id: string, after: number): Promise<ResponseStreamEvent[]> {
  const rest: ResponseStreamEvent[] = []
  const stream = await client.responses.retrieve(id, { stream: true, starting_after: after })
  for await (const event of stream) rest.push(event)
  return rest
}

/** What the database has when nobody uses it. */
async function expectSettled(outcomes: readonly string[], databaseUrl: string | null = null): Promise<void> {
  const { settlements, ledgerDifference } = await readStoredLedger(folder, databaseUrl)
  expect(ledgerDifference).toBeNull()
  expect(new Set(settlements.map(({ requestId }) => requestId)).size).toBe(settlements.length)
  expect(settlements.map(({ outcome }) => String(outcome)).toSorted()).toEqual([...outcomes].toSorted())
  const free = settlements.filter(({ outcome }) => outcome === 'interrupted')
  expect(free.every(({ amountNano, provenance }) => amountNano === 0n || provenance !== 'supplier')).toBe(
    true,
  )
}

async function stop(): Promise<void> {
  gateway.signal('SIGTERM')
  expect(await gateway.exited).toBe(0)
}

describe('kill -9', () => {
  async function killAndRestart(environment: Environment): Promise<void> {
    const before = await startSupplied(environment)
    const done = await before.responses.create({ model, input: 'say: done', background: true })
    await eventually('the first response', async () => {
      return (await before.responses.retrieve(done.id)).status === 'completed'
    })
    const { id, seen } = await streamUntilText(before)
    const polled = await before.responses.create({ model, input: LONG_TEXT, background: true })
    gateway.signal('SIGKILL')
    await gateway.exited

    const client = await start(environment)
    for (const lost of [id, polled.id]) {
      const failed = await eventually(`the end of ${lost}`, async () => {
        const response = await client.responses.retrieve(lost)
        return response.status === 'failed' && response
      })
      expect(failed).toMatchObject({ background: true, error: { code: 'server_error' } })
    }
    const rest = await restOf(client, id, seen.length - 1)
    expect(rest.map((event) => event.sequence_number)).toEqual(rest.map((_, index) => seen.length + index))
    expect(rest.at(-1)).toMatchObject({ type: 'response.failed', response: { id, status: 'failed' } })
    expect(await restOf(client, id, 0)).toEqual([...seen.slice(1), ...rest])
    expect((await client.responses.cancel(id)).status).toBe('failed')
    expect((await client.responses.inputItems.list(id)).data).toHaveLength(1)
    expect((await client.responses.retrieve(done.id)).output_text).toBe('done')
    await stop()
  }

  test('leaves no background response stuck, and each has one settlement', async () => {
    await killAndRestart({})
    await expectSettled(['completed', 'interrupted', 'interrupted'])
  }, 300_000)

  test('at any moment: every response ends and is settled once', async () => {
    let client = await startSupplied({ TURNPIKE_BACKGROUND_PER_ACCOUNT: '100' })
    sandbox.faults.set({ fault: { type: 'latency', betweenPiecesMs: 40 } })
    const requests = new Map<string, string>()
    for (const lifeMs of [20, 150, 300]) {
      const asked = Array.from({ length: 6 }, async (_, words) => {
        const input = `say: ${'word '.repeat(1 + 3 * words)}`
        const { id, _request_id } = await client.responses.create({ model, input, background: true })
        requests.set(id, _request_id ?? '')
      })
      await Promise.allSettled(asked)
      await Bun.sleep(lifeMs)
      gateway.signal('SIGKILL')
      await gateway.exited
      client = await start({ TURNPIKE_BACKGROUND_PER_ACCOUNT: '100' })
    }
    const statuses = new Map<string, string | undefined>()
    for (const [id, requestId] of requests)
      statuses.set(requestId, (await client.responses.retrieve(id)).status)
    await stop()
    const { settlements, ledgerDifference } = await readStoredLedger(folder)
    expect(ledgerDifference).toBeNull()
    expect(requests.size).toBe(18)
    expect(settlements).toHaveLength(requests.size)
    const outcomes = new Map(settlements.map(({ requestId, outcome }) => [requestId, outcome]))
    for (const [requestId, status = ''] of statuses) {
      expect(['completed', 'failed']).toContain(status)
      if (status === 'completed') expect(outcomes.get(requestId)).toBe('completed')
      else expect(outcomes.has(requestId)).toBe(true)
    }
    const counted = Map.groupBy(statuses.values(), (status) => status)
    console.log(`3 kills: ${[...counted].map(([status, all]) => `${all.length} ${status}`).join(', ')}`)
  }, 300_000)

  test.skipIf(!process.env.TEST_DATABASE_URL)(
    'leaves none stuck on PostgreSQL either, when the lease of the dead node is over',
    async () => {
      const database = await makeDatabase()
      if (database === null) throw new Error('TEST_DATABASE_URL is not set')
      try {
        await killAndRestart({ DATABASE_URL: database.url, TURNPIKE_NODE_LEASE_SECONDS: '2' })
        await expectSettled(['completed', 'interrupted', 'interrupted'], database.url)
      } finally {
        await stopProcess(gateway)
        await database.drop()
      }
    },
    300_000,
  )
})

describe('SIGTERM', () => {
  test('fails what is not done in time, and settles it', async () => {
    const before = await startSupplied({ TURNPIKE_SHUTDOWN_SECONDS: '0' })
    const { id, seen } = await streamUntilText(before)
    const polled = await before.responses.create({ model, input: LONG_TEXT, background: true })
    await stop()
    const client = await start()
    for (const ended of [id, polled.id]) {
      expect(await client.responses.retrieve(ended)).toMatchObject({ status: 'failed' })
    }
    const last = (await restOf(client, id, seen.length - 1)).at(-1)
    expect(last).toMatchObject({ type: 'response.failed', response: { id } })
    await stop()
    const { settlements } = await readStoredLedger(folder)
    expect(settlements).toHaveLength(2)
    expect(settlements.map(({ outcome }) => outcome)).toContain('interrupted')
  }, 300_000)

  test('lets background responses finish', async () => {
    const before = await startSupplied({ TURNPIKE_SHUTDOWN_SECONDS: '30' })
    sandbox.faults.set({ fault: { type: 'latency', betweenPiecesMs: 200 } })
    const { id } = await before.responses.create({ model, input: 'say: a b c d', background: true })
    await stop()
    const client = await start()
    expect(await client.responses.retrieve(id)).toMatchObject({ status: 'completed', output_text: 'a b c d' })
    await stop()
    await expectSettled(['completed'])
  }, 300_000)
})
