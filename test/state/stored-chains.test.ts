import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { createLoneKey } from '../support/accounts.ts'
import { readError } from '../support/chat.ts'
import { OPENAI_SDKS } from '../support/sdk-clients.ts'
import { startTestGateway, type TestGateway } from '../support/test-gateway.ts'
import { finalResponse, ResponsesClient } from './support/responses-client.ts'

const MEGABYTE = 1_024 * 1_024
const MAX_STORED_BYTES = 12 * MEGABYTE

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway({
    environment: { TURNPIKE_STORED_BYTES_PER_ACCOUNT: String(MAX_STORED_BYTES) },
  })
})
afterAll(() => gateway.stop())

async function newClient(): Promise<ResponsesClient> {
  return new ResponsesClient(gateway, (await createLoneKey(gateway)).secret)
}

const image = (megabytes: number) => [
  {
    role: 'user',
    content: [
      { type: 'input_text', text: 'say: seen' },
      { type: 'input_image', image_url: `data:image/png;base64,${'A'.repeat(megabytes * MEGABYTE)}` },
    ],
  },
]

function databaseBytes(): number {
  const database = new Database(join(gateway.dataFolder, 'turnpike.db'), { readonly: true })
  try {
    const sql =
      'select (page_count - freelist_count) * page_size as bytes from pragma_page_count(), pragma_page_size(), pragma_freelist_count()'
    return (database.query(sql).get() as { bytes: number }).bytes
  } finally {
    database.close()
  }
}

const lastPrompt = () => JSON.stringify(gateway.sandbox.calls.at(-1)?.body)

describe('a conversation that begins with a large image', () => {
  test('grows only by its new turns, and still holds the image', async () => {
    const client = await newClient()
    let previous = (await client.create({ input: image(4) })).id
    const before = databaseBytes()
    for (let turn = 0; turn < 4; turn += 1) {
      const isStreamed = turn % 2 === 0
      const fields = { input: `say: turn ${turn}`, previous_response_id: previous }
      const response = isStreamed ? finalResponse(await client.stream(fields)) : await client.create(fields)
      previous = response.id
    }
    expect((databaseBytes() - before) / 4).toBeLessThan(64 * 1_024)
    const page = (await (await client.get(`${previous}/input_items?order=asc`)).json()) as {
      data: { role: string; content: unknown }[]
    }
    expect(Bun.deepEquals(page.data[0]?.content, image(4)[0]?.content)).toBe(true)
    expect(page.data.map(({ role }) => role).join(' ')).toBe(
      'user assistant user assistant user assistant user assistant user',
    )
  }, 300_000)

  test('is refused before any supplier call when it exceeds the account’s storage', async () => {
    const client = await newClient()
    const calls = gateway.sandbox.calls.length
    const refused = await client.send({ input: image(10) })
    expect(refused.status).toBe(413)
    expect(await readError(refused)).toMatchObject({ code: 'request_too_large', param: 'store' })
    const first = await client.create({ input: image(5) })
    const second = await client.send({ input: image(5), previous_response_id: first.id })
    expect([second.status, (await readError(second)).param]).toEqual([413, 'store'])
    expect(gateway.sandbox.calls.length).toBe(calls + 1)
    const unstored = { input: image(5), previous_response_id: first.id, store: false }
    expect((await client.send(unstored)).status).toBe(200)
  }, 300_000)

  test('makes room for itself by deleting the oldest conversation of the account', async () => {
    const client = await newClient()
    const oldest = await client.create({ input: image(4) })
    const middle = await client.create({ input: 'say: small' })
    const newest = await client.create({ input: image(6) })
    expect((await client.get(oldest.id)).status).toBe(404)
    expect((await client.get(middle.id)).status).toBe(200)
    expect((await client.get(newest.id)).status).toBe(200)
  }, 300_000)
})

describe.each(OPENAI_SDKS)('%s', (_name, Sdk, createClient) => {
  test('continues a conversation, streamed or not, when an earlier response is deleted', async () => {
    const { secret } = await createLoneKey(gateway)
    const client = createClient({ apiKey: secret, baseURL: `${gateway.url}/v1`, maxRetries: 0 })
    const model = 'sandbox-chat'
    const first = await client.responses.create({ model, input: 'say: tulips' })
    const second = await client.responses
      .stream({ model, input: 'say: roses', previous_response_id: first.id })
      .finalResponse()
    await client.responses.delete(first.id)
    const gone = client.responses.create({ model, input: 'x', previous_response_id: first.id })
    expect(await gone.catch((error: unknown) => error)).toBeInstanceOf(Sdk.NotFoundError)
    const third = await client.responses.create({
      model,
      input: 'say: lilies',
      previous_response_id: second.id,
    })
    expect(third.output_text).toBe('lilies')
    for (const said of ['say: tulips', 'say: roses', 'say: lilies']) expect(lastPrompt()).toContain(said)
    const items = await Array.fromAsync(client.responses.inputItems.list(third.id, { order: 'asc' }))
    expect(items.length).toBe(5)
  })
})
