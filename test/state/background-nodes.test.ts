import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { OpenAI } from 'openai'
import type { ResponseStreamEvent } from 'openai/resources/responses/responses'
import { makeDatabase } from '../robustness/support/own-database.ts'
import { createLoneKey, type IssuedKey } from '../support/accounts.ts'
import { eventually } from '../support/eventually.ts'
import { onlySettlementOf } from '../support/settlements.ts'
import { startTestGateway, type TestGateway } from '../support/test-gateway.ts'

const model = 'sandbox-chat'

type Stop = () => Promise<unknown>

describe.skipIf(!process.env.TEST_DATABASE_URL)('two nodes with one database', () => {
  let nodes: readonly [TestGateway, TestGateway]
  let stops: Stop[] = []
  let key: IssuedKey

  beforeEach(async () => {
    const database = await makeDatabase()
    if (database === null) throw new Error('TEST_DATABASE_URL is not set')
    stops = [() => database.drop()]
    const open = async () => {
      const node = await startTestGateway({ environment: { DATABASE_URL: database.url } })
      stops.unshift(() => node.stop())
      return node
    }
    nodes = [await open(), await open()]
    key = await createLoneKey(nodes[0])
  })
  afterEach(async () => {
    for (const stop of stops) await stop()
  })

  function clientOf({ url }: TestGateway): OpenAI {
    return new OpenAI({ apiKey: key.secret, baseURL: `${url}/v1`, maxRetries: 0 })
  }

  /** Asks the first node for a response that takes long; gives its events up to the first piece of text. */
  async function begin(words: number): Promise<{ id: string; seen: ResponseStreamEvent[] }> {
    nodes[0].sandbox.faults.set({ fault: { type: 'latency', betweenPiecesMs: 100 } })
    const input = `say: ${'word '.repeat(words)}`
    const stream = await clientOf(nodes[0]).responses.create({ model, input, background: true, stream: true })
    const seen: ResponseStreamEvent[] = []
    for await (const event of stream) {
      seen.push(event)
      if (event.type === 'response.output_text.delta') break
    }
    const [first] = seen
    if (first?.type !== 'response.created') throw new Error('it was not created')
    return { id: first.response.id, seen }
  }

  test('a stream of one node is resumed on the other', async () => {
    const { id, seen } = await begin(20)
    const other = clientOf(nodes[1])
    await eventually('the key on the other node', async () => {
      await nodes[1].operator('GET', '/accounts')
      return other.responses.retrieve(id).catch(() => null)
    })
    const rest: ResponseStreamEvent[] = []
    const stream = await other.responses.retrieve(id, { stream: true, starting_after: seen.length - 1 })
    for await (const event of stream) rest.push(event)
    const all = [...seen, ...rest]
    expect(all.map((event) => event.sequence_number)).toEqual(all.map((_, index) => index))
    expect(rest.at(-1)).toMatchObject({ type: 'response.completed', response: { id, status: 'completed' } })
  }, 300_000)

  test('a response of one node is cancelled on the other, and settled once', async () => {
    const { id } = await begin(20_000)
    const other = clientOf(nodes[1])
    const cancelled = await eventually('the key on the other node', () =>
      other.responses.cancel(id).catch(() => null),
    )
    expect(cancelled.status).toBe('cancelled')
    expect((await onlySettlementOf(nodes[0], key.id)).outcome).toBe('client_left')
    expect((await clientOf(nodes[0]).responses.retrieve(id)).status).toBe('cancelled')
  }, 300_000)
})
