import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { createKey, createLoneKey, openAccount } from '../support/accounts.ts'
import { limitsOf, readError } from '../support/chat.ts'
import { createMovableClock } from '../support/movable-clock.ts'
import { chunkOf, DONE, FINISH_CHUNK, startScriptedSupplier } from '../support/scripted-supplier.ts'
import { OPENAI_SDKS } from '../support/sdk-clients.ts'
import { addModel, addSupplier } from '../support/supply.ts'
import {
  makeDataFolder,
  removeDataFolder,
  startTestGateway,
  type TestGateway,
} from '../support/test-gateway.ts'
import { finalResponse, type ResponseBody, ResponsesClient, textOf } from './support/responses-client.ts'
import { addSingleFormatSuppliers, keyFor, SUPPLIERS } from './support/suppliers.ts'

const DAYS_MS = 24 * 60 * 60 * 1_000

const clock = createMovableClock()
let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway({ clock })
  await addSingleFormatSuppliers(gateway)
})
afterAll(() => gateway.stop())

/** A client with its own account, so that no other test spends from its windows. */
async function newClient(): Promise<ResponsesClient> {
  return new ResponsesClient(gateway, (await createLoneKey(gateway)).secret)
}

/** What is in the database about stored responses, as it stands in the file. */
function rowsIn(dataFolder: string, where: string): { items: number; text: string } {
  const database = new Database(join(dataFolder, 'turnpike.db'), { readonly: true })
  try {
    const rows = database.query(`select * from kept_replies where ${where}`).all()
    const items = database
      .query(`select * from kept_reply_items where ${where.replace(/\bid\b/g, 'reply_id')}`)
      .all()
    return { items: items.length, text: rows.length === 0 ? '' : JSON.stringify([rows, items]) }
  } finally {
    database.close()
  }
}

async function refusal(response: Response): Promise<unknown[]> {
  const { code, param } = await readError(response)
  return [response.status, code, param]
}

describe('a stored response', () => {
  test('can be retrieved with its input', async () => {
    const client = await newClient()
    const first = await client.create({
      input: [{ role: 'user', content: 'say: one' }],
      metadata: { topic: 'numbers' },
    })
    expect(await client.retrieve(first.id)).toMatchObject({
      id: first.id,
      object: 'response',
      status: 'completed',
      metadata: { topic: 'numbers' },
      output: first.output,
    })
    const second = await client.create({ input: 'say: two', previous_response_id: first.id })
    const list = (await (await client.get(`${second.id}/input_items?order=asc`)).json()) as {
      data: { id: string; type: string; role: string }[]
    }
    expect(list).toMatchObject({ object: 'list', has_more: false })
    expect(list.data.map(({ type, role }) => `${role} ${type}`)).toEqual([
      'user message',
      'assistant message',
      'user message',
    ])
    expect(list.data[1]?.id).toBe(first.output[0]?.id ?? '')
    expect(new Set(list.data.map(({ id }) => id)).size).toBe(3)
  })

  test('look-ups do not count against the generation windows', async () => {
    const client = new ResponsesClient(gateway, (await createLoneKey(gateway, { rpm: 2 })).secret)
    const sent = await client.send({ input: 'say: one' })
    expect(limitsOf(sent, 'requests').slice(0, 2)).toEqual([2, 1])
    const { id } = (await sent.json()) as ResponseBody
    for (const path of [id, `${id}/input_items`, 'resp_none']) {
      expect(limitsOf(await client.get(path), 'requests').slice(0, 2)).toEqual([2, 1])
    }
    // The guard allows ten times the requests, and three look-ups are spent.
    for (let spent = 3; spent < 20; spent += 1) expect((await client.get(id)).status).toBe(200)
    expect((await client.get(id)).status).toBe(429)
  })

  test('that is deleted cannot be retrieved, listed, continued or deleted', async () => {
    const client = await newClient()
    const { id } = await client.create({ input: 'say: forget me' })
    const deleted = await client.delete(id)
    expect([deleted.status, await deleted.json()]).toEqual([200, { id, object: 'response', deleted: true }])
    expect(await refusal(await client.get(id))).toEqual([404, 'not_found', null])
    expect(await refusal(await client.get(`${id}/input_items`))).toEqual([404, 'not_found', null])
    expect(await refusal(await client.delete(id))).toEqual([404, 'not_found', null])
    const continued = await client.send({ previous_response_id: id })
    expect(await refusal(continued.clone() as Response)).toEqual([404, 'not_found', 'previous_response_id'])
    expect((await readError(continued)).message).toContain(id)
    expect(rowsIn(gateway.dataFolder, `id = '${id}'`)).toEqual({ items: 0, text: '' })
  })

  test('is not found by other accounts, and is found by other keys of the same account', async () => {
    const account = await openAccount(gateway)
    const keys = [await createKey(gateway, account), await createKey(gateway, account)]
    const [owner, colleague] = keys.map(({ secret }) => new ResponsesClient(gateway, secret)) as [
      ResponsesClient,
      ResponsesClient,
    ]
    const stranger = await newClient()
    const { id, output } = await owner.create({ input: 'say: ours' })
    expect(await refusal(await stranger.get(id))).toEqual([404, 'not_found', null])
    expect(await refusal(await stranger.get(`${id}/input_items`))).toEqual([404, 'not_found', null])
    expect(await refusal(await stranger.delete(id))).toEqual([404, 'not_found', null])
    expect(await refusal(await stranger.send({ previous_response_id: id }))).toEqual([
      404,
      'not_found',
      'previous_response_id',
    ])
    const reference = [{ type: 'item_reference', id: output[0]?.id }]
    expect(await refusal(await stranger.send({ input: reference }))).toEqual([
      400,
      'invalid_request',
      'input[0]',
    ])
    expect(textOf(await colleague.retrieve(id))).toBe('ours')
    expect((await colleague.send({ previous_response_id: id })).status).toBe(200)
  })

  test.each(['resp_none', '%00', 'a b', "' or 1=1 --", 'é', `resp_${'x'.repeat(400)}`])(
    'with the id %j does not exist',
    async (id) => {
      const client = await newClient()
      const path = id === '%00' ? id : encodeURIComponent(id)
      expect(await refusal(await client.get(path))).toEqual([404, 'not_found', null])
      expect(await refusal(await client.send({ previous_response_id: decodeURIComponent(id) }))).toEqual([
        404,
        'not_found',
        'previous_response_id',
      ])
    },
  )

  test('is sealed: no text is readable in the database', async () => {
    const client = await newClient()
    const { id } = await client.create({ input: 'say: a most private matter' })
    const { items, text } = rowsIn(gateway.dataFolder, `id = '${id}'`)
    expect(items).toBe(1)
    expect(text).not.toContain('private')
  })
})

describe.each(SUPPLIERS)('store: false over a %s supplier', (_format, supplier) => {
  test.each([false, true])('stores nothing (stream: %p)', async (isStreamed) => {
    const client = new ResponsesClient(gateway, await keyFor(gateway, supplier))
    const fields = { input: 'say: nothing', store: false }
    const response = isStreamed ? finalResponse(await client.stream(fields)) : await client.create(fields)
    expect(textOf(response)).toBe('nothing')
    expect(response.store).toBe(false)
    expect(await refusal(await client.get(response.id))).toEqual([404, 'not_found', null])
    expect(await refusal(await client.send({ previous_response_id: response.id }))).toEqual([
      404,
      'not_found',
      'previous_response_id',
    ])
    expect(rowsIn(gateway.dataFolder, `id = '${response.id}'`)).toEqual({ items: 0, text: '' })
  })

  test('can continue a stored response', async () => {
    const client = new ResponsesClient(gateway, await keyFor(gateway, supplier))
    const first = await client.create({ input: 'say: stored' })
    const second = await client.create({ input: 'say: not', store: false, previous_response_id: first.id })
    expect(JSON.stringify(gateway.sandbox.calls.at(-1)?.body)).toContain('say: stored')
    expect((await client.get(second.id)).status).toBe(404)
    expect((await client.get(first.id)).status).toBe(200)
  })
})

describe('time', () => {
  test('a response is kept for thirty days, then not found and swept', async () => {
    const client = await newClient()
    const first = await client.create({ input: 'say: for a month' })
    clock.advance(30 * DAYS_MS - 1)
    expect((await client.get(first.id)).status).toBe(200)
    const second = await client.create({ input: 'say: next', previous_response_id: first.id })
    clock.advance(1)
    expect((await client.get(first.id)).status).toBe(404)
    expect((await client.send({ previous_response_id: first.id })).status).toBe(404)
    expect((await client.send({ input: [{ type: 'item_reference', id: first.output[0]?.id }] })).status).toBe(
      400,
    )
    // What continued from it has its own time, and all it needs.
    expect((await client.send({ previous_response_id: second.id })).status).toBe(200)

    expect(rowsIn(gateway.dataFolder, `id = '${first.id}'`).text).not.toBe('')
    while ((await gateway.storage.deleteExpiredReplies(clock.nowMs(), 2)) > 0);
    expect(rowsIn(gateway.dataFolder, `id = '${first.id}'`)).toEqual({ items: 0, text: '' })
    expect(rowsIn(gateway.dataFolder, `id = '${second.id}'`).text).not.toBe('')
  })

  test('a restart forgets nothing', async () => {
    const dataFolder = makeDataFolder()
    try {
      const before = await startTestGateway({ dataFolder })
      const key = await createLoneKey(before)
      const fields = { input: 'say: remember' }
      const client = new ResponsesClient(before, key.secret)
      const whole = await client.create(fields)
      const streamed = finalResponse(await client.stream(fields))
      await before.stop()
      const after = await startTestGateway({ dataFolder })
      try {
        const again = new ResponsesClient(after, key.secret)
        expect((await again.retrieve(whole.id)).output).toEqual(whole.output)
        for (const { id, output } of [whole, streamed]) {
          await again.create({ input: 'say: more', previous_response_id: id })
          expect(JSON.stringify(after.sandbox.calls.at(-1)?.body)).toContain('say: remember')
          await again.create({
            input: [
              { type: 'item_reference', id: output[0]?.id },
              { role: 'user', content: 'x' },
            ],
          })
        }
      } finally {
        await after.stop()
      }
    } finally {
      removeDataFolder(dataFolder)
    }
  })
})

describe('a database that fails', () => {
  const failing = [
    ['refuses', () => Promise.reject(new Error('disk full'))],
    ['does not answer', () => new Promise<never>(() => undefined)],
  ] as const
  for (const [what, saveReply] of failing) {
    test(`and ${what} does not cost a client its answer`, async () => {
      const client = await newClient()
      const { saveReply: real } = gateway.storage
      Object.assign(gateway.storage, { saveReply })
      try {
        const whole = client.create({ input: 'say: whole' })
        const streamed = client.stream({ input: 'say: streamed' })
        expect(textOf(await whole)).toBe('whole')
        expect(textOf(finalResponse(await streamed))).toBe('streamed')
        expect((await client.get((await whole).id)).status).toBe(404)
        expect(gateway.log.troubles.filter((text) => text.includes('could not be kept'))).toHaveLength(2)
      } finally {
        Object.assign(gateway.storage, { saveReply: real })
        ;(gateway.log.troubles as string[]).length = 0
      }
    })
  }
})

describe('a stream that comes', () => {
  const script = [chunkOf({ content: 'Hello' }), FINISH_CHUNK, DONE]
  test.each([
    ['piece by piece', script],
    ['all at once', [script.join('')]],
  ])('%s ends for its client only once it is stored', async (_how, cues) => {
    const supplier = startScriptedSupplier()
    const kept = Promise.withResolvers<void>()
    const asked = Promise.withResolvers<void>()
    const { saveReply: real } = gateway.storage
    try {
      supplier.perform(cues)
      const id = `scripted-${cues.length}`
      await addSupplier(gateway, { id, sandbox: supplier })
      await addModel(gateway, id, { suppliers: [id] })
      const saveReply = (...given: Parameters<typeof real>) => {
        asked.resolve()
        return kept.promise.then(() => real.apply(gateway.storage, given))
      }
      Object.assign(gateway.storage, { saveReply })
      const client = await newClient()
      let isOver = false
      const streamed = client.stream({ model: id }).finally(() => {
        isOver = true
      })
      await asked.promise
      // What had been sent by now would come before the answer to this.
      await fetch(`${gateway.url}/healthz`).then((response) => response.text())
      expect(isOver).toBe(false)
      kept.resolve()
      const { id: replyId } = finalResponse(await streamed)
      expect(textOf(await client.retrieve(replyId))).toBe('Hello')
    } finally {
      Object.assign(gateway.storage, { saveReply: real })
      await supplier.stop()
    }
  })
})

describe('a whole reply to a request for a stream', () => {
  test.each(SUPPLIERS)('is stored all the same over a %s supplier', async (_format, supplier) => {
    const client = new ResponsesClient(gateway, await keyFor(gateway, supplier))
    gateway.sandbox.faults.set({ times: 1, fault: { type: 'plain-json' } })
    const response = finalResponse(await client.stream({ input: 'say: whole' }))
    expect(textOf(await client.retrieve(response.id))).toBe('whole')
  })
})

test('an endless conversation is refused before it fills the memory', async () => {
  const client = await newClient()
  // Images count little against the token windows, whatever their size.
  const image_url = `data:image/png;base64,${'A'.repeat(18 * 1_024 * 1_024)}`
  const input = [{ role: 'user', content: [{ type: 'input_image', image_url }] }]
  let previous: string | null = null
  for (let turn = 0; turn < 3; turn += 1) {
    previous = (await client.create({ input, previous_response_id: previous })).id
  }
  const refused = await client.send({ input, previous_response_id: previous })
  expect(await refusal(refused)).toEqual([413, 'request_too_large', null])
}, 300_000)

describe.each(OPENAI_SDKS)('%s', (_name, Sdk, createClient) => {
  test('stores, retrieves, lists, continues and deletes', async () => {
    const { secret } = await createLoneKey(gateway)
    const client = createClient({ apiKey: secret, baseURL: `${gateway.url}/v1`, maxRetries: 0 })
    const first = await client.responses.create({ model: 'sandbox-chat', input: 'say: one' })
    const stream = client.responses.stream({
      model: 'sandbox-chat',
      input: 'say: two',
      previous_response_id: first.id,
    })
    const second = await stream.finalResponse()
    expect((await client.responses.retrieve(second.id)).output_text).toBe('two')
    const items = await Array.fromAsync(client.responses.inputItems.list(second.id, { limit: 1 }))
    expect(items.map(({ type }) => type)).toEqual(['message', 'message', 'message'])
    await client.responses.delete(first.id)
    const thrown = await client.responses.retrieve(first.id).catch((error: unknown) => error)
    expect(thrown).toBeInstanceOf(Sdk.NotFoundError)
  })
})
