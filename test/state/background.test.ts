import { Database } from 'bun:sqlite'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { APIError, OpenAI } from 'openai'
import type { Response as ResponseObject, ResponseStreamEvent } from 'openai/resources/responses/responses'
import { createKey, createLoneKey, type IssuedKey, openAccount } from '../support/accounts.ts'
import { readError } from '../support/chat.ts'
import { eventually } from '../support/eventually.ts'
import { onlySettlementOf, settlementsOf } from '../support/settlements.ts'
import { startTestGateway, type TestGateway } from '../support/test-gateway.ts'
import { ResponsesClient } from './support/responses-client.ts'
import { addSingleFormatSuppliers, keyFor, SUPPLIERS } from './support/suppliers.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway({ environment: { TURNPIKE_BACKGROUND_PER_ACCOUNT: '2' } })
  await addSingleFormatSuppliers(gateway)
})
afterAll(() => gateway.stop())
afterEach(() => gateway.sandbox.faults.clear())

const model = 'sandbox-chat'

function sdkOf(secret: string): OpenAI {
  return new OpenAI({ apiKey: secret, baseURL: `${gateway.url}/v1`, maxRetries: 0 })
}

async function newSdk(): Promise<{ client: OpenAI; key: IssuedKey }> {
  const key = await createLoneKey(gateway)
  return { client: sdkOf(key.secret), key }
}

/** The supplier is silent after its first piece, until the end of the test. */
function stall(): void {
  gateway.sandbox.faults.set({ fault: { type: 'latency', betweenPiecesMs: 3_600_000 } })
}

const isUnderWay = ({ status }: ResponseObject) => status === 'queued' || status === 'in_progress'

function ended(client: OpenAI, id: string): Promise<ResponseObject> {
  return eventually(`the end of ${id}`, async () => {
    const response = await client.responses.retrieve(id)
    return !isUnderWay(response) && response
  })
}

async function eventsOf(stream: AsyncIterable<ResponseStreamEvent>): Promise<ResponseStreamEvent[]> {
  const events: ResponseStreamEvent[] = []
  for await (const event of stream) events.push(event)
  return events
}

/** Status and parameter of the error that the client throws. */
async function refusalOf(call: PromiseLike<unknown>): Promise<unknown[]> {
  try {
    await call
  } catch (error) {
    if (!(error instanceof APIError)) throw error
    return [error.status, error.param]
  }
  throw new Error('it was not refused')
}

/** The id of a response that has begun, and the rest of its events. */
async function begin(stream: AsyncIterable<ResponseStreamEvent>) {
  const iterator = stream[Symbol.asyncIterator]()
  const { value } = await iterator.next()
  if (value?.type !== 'response.created') throw new Error('it was not created')
  return { id: value.response.id, rest: eventsOf({ [Symbol.asyncIterator]: () => iterator }) }
}

/** As they stand in the database file. */
function rows<Row>(query: string): Row[] {
  const database = new Database(join(gateway.dataFolder, 'turnpike.db'), { readonly: true })
  try {
    return database.query(query).all() as Row[]
  } finally {
    database.close()
  }
}

const numbersOf = (events: readonly ResponseStreamEvent[]) => events.map((event) => event.sequence_number)

describe.each(SUPPLIERS)('in the background over a %s supplier', (_format, supplier) => {
  test('a response is queued at once, polled, and continued', async () => {
    const client = sdkOf(await keyFor(gateway, supplier))
    const queued = await client.responses.create({ model, input: 'say: slow and steady', background: true })
    expect(queued).toMatchObject({
      object: 'response',
      status: 'queued',
      background: true,
      output: [],
      error: null,
    })
    const done = await ended(client, queued.id)
    expect(done).toMatchObject({ id: queued.id, status: 'completed', background: true, store: true })
    expect(done.output_text).toBe('slow and steady')
    const call = JSON.stringify(gateway.sandbox.calls.at(-1)?.body)
    expect(call).not.toContain('"background":true')
    expect(call).not.toContain('"store":true')
    const next = await client.responses.create({ model, input: 'say: next', previous_response_id: queued.id })
    expect(next.background).toBe(false)
    expect(JSON.stringify(gateway.sandbox.calls.at(-1)?.body)).toContain('slow and steady')
    const items = await client.responses.inputItems.list(queued.id)
    expect(items.data).toHaveLength(1)
  })

  test('a stream is numbered and can be read again from any event', async () => {
    const client = sdkOf(await keyFor(gateway, supplier))
    const body = { model, input: 'say: one two three four', background: true, stream: true } as const
    const events = await eventsOf(await client.responses.create(body))
    expect(numbersOf(events)).toEqual(events.map((_, index) => index))
    expect(events.slice(0, 2).map(({ type }) => type)).toEqual(['response.created', 'response.queued'])
    const last = events.at(-1)
    if (last?.type !== 'response.completed') throw new Error(`it ended with ${last?.type}`)
    const ids = events.flatMap((event) => ('response' in event ? [event.response.id] : []))
    expect(new Set(ids).size).toBe(1)
    const { id } = last.response
    expect(await client.responses.retrieve(id)).toMatchObject({
      id,
      status: 'completed',
      output: last.response.output,
    })
    for (const after of [0, Math.floor(events.length / 2), events.length - 2]) {
      const rest = await eventsOf(
        await client.responses.retrieve(id, { stream: true, starting_after: after }),
      )
      expect(rest).toEqual(events.slice(after + 1))
    }
    const whole = await eventsOf(await client.responses.retrieve(id, { stream: true }))
    expect(whole).toEqual(events)
    const nothing = await client.responses.retrieve(id, { stream: true, starting_after: events.length - 1 })
    expect(await eventsOf(nothing)).toEqual([])
  })
})

describe('a background response', () => {
  test('goes on when its client leaves the stream, which is resumed in the middle', async () => {
    const { client, key } = await newSdk()
    gateway.sandbox.faults.set({ fault: { type: 'latency', betweenPiecesMs: 30 } })
    const words = 'say: a b c d e f g h i j k l m n o p'
    const stream = await client.responses.create({ model, input: words, background: true, stream: true })
    const seen: ResponseStreamEvent[] = []
    for await (const event of stream) {
      seen.push(event)
      if (event.type === 'response.output_text.delta') break
    }
    const [first] = seen
    if (first?.type !== 'response.created') throw new Error('it was not created')
    const resume = { stream: true, starting_after: seen.length - 1 } as const
    const rest = await eventsOf(await client.responses.retrieve(first.response.id, resume))
    expect(numbersOf([...seen, ...rest])).toEqual([...seen, ...rest].map((_, index) => index))
    expect(rest.at(-1)).toMatchObject({ type: 'response.completed' })
    expect((await client.responses.retrieve(first.response.id)).output_text).toBe(
      'a b c d e f g h i j k l m n o p',
    )
    const settlement = await onlySettlementOf(gateway, key.id)
    expect([settlement.outcome, settlement.provenance]).toEqual(['completed', 'supplier'])
  })

  test('can be cancelled, again and again, and is settled once', async () => {
    const { client, key } = await newSdk()
    stall()
    const stream = await client.responses.create({ model, input: 'say: a b', background: true, stream: true })
    const { id, rest: reading } = await begin(stream)
    const cancelled = await client.responses.cancel(id)
    expect(cancelled).toMatchObject({ id, status: 'cancelled', background: true })
    expect(await client.responses.cancel(id)).toMatchObject({ id, status: 'cancelled' })
    expect((await client.responses.retrieve(id)).status).toBe('cancelled')
    const last = (await reading).at(-1)
    expect(last).toMatchObject({ type: 'response.incomplete', response: { id, status: 'cancelled' } })
    expect((await onlySettlementOf(gateway, key.id)).outcome).toBe('client_left')
    expect((await settlementsOf(gateway, key.id, 1)).length).toBe(1)
  })

  test('that has ended stays as it is when it is cancelled', async () => {
    const { client } = await newSdk()
    const { id } = await client.responses.create({ model, input: 'say: done', background: true })
    const done = await ended(client, id)
    expect(await client.responses.cancel(id)).toMatchObject({ id, status: 'completed', output: done.output })
  })

  test('is cancelled by its deletion', async () => {
    const { client, key } = await newSdk()
    stall()
    const { id } = await client.responses.create({ model, input: 'say: never', background: true })
    await client.responses.delete(id)
    expect(await refusalOf(client.responses.retrieve(id))).toEqual([404, null])
    expect((await onlySettlementOf(gateway, key.id)).outcome).toBe('client_left')
  })

  test('cannot be continued before it is completed', async () => {
    const { client } = await newSdk()
    stall()
    const { id } = await client.responses.create({ model, input: 'say: never', background: true })
    const next = client.responses.create({ model, input: 'go on', previous_response_id: id })
    expect(await refusalOf(next)).toEqual([400, 'previous_response_id'])
    await client.responses.cancel(id)
  })

  test('fails with the reason when the supplier does, and is settled', async () => {
    const { client, key } = await newSdk()
    gateway.sandbox.faults.set({ fault: { type: 'status', status: 400 } })
    const { id } = await client.responses.create({ model, input: 'say: no', background: true })
    const failed = await ended(client, id)
    expect(failed).toMatchObject({ id, status: 'failed', background: true, output: [] })
    expect(failed.error?.code).toBe('invalid_prompt')
    await settlementsOf(gateway, key.id, 1)
    await onlySettlementOf(gateway, key.id)
  })

  test('that fails in mid-stream says so at the end of its events', async () => {
    const { client } = await newSdk()
    gateway.sandbox.faults.set({ fault: { type: 'error-in-stream', afterPieces: 2 } })
    const body = { model, input: 'say: a b c d e', background: true, stream: true } as const
    const events = await eventsOf(await client.responses.create(body))
    const last = events.at(-1)
    if (last?.type !== 'response.failed') throw new Error(`it ended with ${last?.type}`)
    expect(numbersOf(events)).toEqual(events.map((_, index) => index))
    expect(await client.responses.retrieve(last.response.id)).toMatchObject({
      status: 'failed',
      error: last.response.error,
    })
  })

  test('of another account is not found', async () => {
    const { client } = await newSdk()
    const stranger = await newSdk()
    const { id } = await client.responses.create({ model, input: 'say: ours', background: true })
    await ended(client, id)
    const { responses } = stranger.client
    expect(await refusalOf(responses.retrieve(id))).toEqual([404, null])
    expect(await refusalOf(responses.retrieve(id, { stream: true }))).toEqual([404, null])
    expect(await refusalOf(responses.cancel(id))).toEqual([404, null])
    expect(await refusalOf(responses.delete(id))).toEqual([404, null])
    expect((await client.responses.retrieve(id)).status).toBe('completed')
  })
})

describe('refusals', () => {
  test('a response that is not made in the background can be neither cancelled nor streamed', async () => {
    const { client } = await newSdk()
    const { id } = await client.responses.create({ model, input: 'say: now' })
    expect(await refusalOf(client.responses.cancel(id))).toEqual([400, null])
    expect(await refusalOf(client.responses.retrieve(id, { stream: true }))).toEqual([400, 'stream'])
  })

  test('one that was created without stream cannot be streamed later', async () => {
    const { client } = await newSdk()
    const { id } = await client.responses.create({ model, input: 'say: now', background: true })
    expect(await refusalOf(client.responses.retrieve(id, { stream: true }))).toEqual([400, 'stream'])
    await ended(client, id)
  })

  test.each([
    [{ background: true, store: false }, 'background'],
    [{ background: 'yes' }, 'background'],
  ])('%j', async (fields, param) => {
    const client = new ResponsesClient(gateway, (await createLoneKey(gateway)).secret)
    const refused = await client.send(fields)
    expect([refused.status, (await readError(refused)).param]).toEqual([400, param])
  })

  test.each(['x', '-1', '1.5', ''])('starting_after=%s', async (after) => {
    const { client, key } = await newSdk()
    const body = { model, input: 'say: a', background: true, stream: true } as const
    const last = (await eventsOf(await client.responses.create(body))).at(-1)
    const id = last?.type === 'response.completed' ? last.response.id : ''
    const raw = new ResponsesClient(gateway, key.secret)
    const refused = await raw.get(`${id}?stream=true&starting_after=${after}`)
    expect([refused.status, (await readError(refused)).param]).toEqual([400, 'starting_after'])
  })

  test('what admission refuses is refused at once, and nothing is stored', async () => {
    const account = await openAccount(gateway, '0')
    const { secret } = await createKey(gateway, account)
    const client = new ResponsesClient(gateway, secret)
    expect((await client.send({ background: true })).status).toBe(403)
    const unknown = new ResponsesClient(gateway, (await createLoneKey(gateway)).secret)
    expect((await unknown.send({ background: true, model: 'none' })).status).toBe(404)
  })

  test('an account may have only so many under way', async () => {
    const { client, key } = await newSdk()
    stall()
    const body = { model, input: 'say: never', background: true } as const
    const first = await client.responses.create(body)
    const second = await client.responses.create(body)
    expect(await refusalOf(client.responses.create(body))).toEqual([429, 'background'])
    await client.responses.cancel(first.id)
    const third = await client.responses.create(body)
    for (const { id } of [second, third]) await client.responses.cancel(id)
    const outcomes = (await settlementsOf(gateway, key.id, 4)).map(({ outcome }) => outcome)
    expect(outcomes.toSorted()).toEqual(['client_left', 'client_left', 'client_left', 'refused'])
  })
})

test('events and endings are sealed, count as stored bytes, and go with the response', async () => {
  const { client } = await newSdk()
  const body = { model, input: 'say: a most private matter', background: true, stream: true } as const
  const last = (await eventsOf(await client.responses.create(body))).at(-1)
  if (last?.type !== 'response.completed') throw new Error('it is not complete')
  const { id } = last.response
  const batches = rows<{ sealed_frames: string }>(
    `select sealed_frames from background_events where reply_id = '${id}'`,
  )
  expect(batches.length).toBeGreaterThan(0)
  expect(JSON.stringify(batches)).not.toContain('private')
  const [before] = rows<{ size_bytes: number; event_bytes: number }>(
    `select b.size_bytes, r.event_bytes from background_replies r join kept_reply_bytes b on b.account_id = r.account_id where r.id = '${id}'`,
  )
  expect(before?.event_bytes).toBe(batches.reduce((sum, row) => sum + row.sealed_frames.length, 0))
  const [owner] = rows<{ account_id: string }>(`select account_id from background_replies where id = '${id}'`)
  await client.responses.delete(id)
  expect(rows(`select * from background_events where reply_id = '${id}'`)).toEqual([])
  expect(rows(`select * from background_replies where id = '${id}'`)).toEqual([])
  expect(rows(`select size_bytes from kept_reply_bytes where account_id = '${owner?.account_id}'`)).toEqual([
    { size_bytes: 0 },
  ])
})
