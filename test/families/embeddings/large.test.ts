import { afterAll, beforeAll, expect, test } from 'bun:test'
import { base64Of } from '../../../src/conversation/families/embeddings.ts'
import { createKey } from '../../support/accounts.ts'
import { TEST_PRICE } from '../../support/supply.ts'
import { startTestGateway, type TestGateway } from '../../support/test-gateway.ts'
import { openRichAccount } from './suppliers.ts'

const COUNT = 2_048
const DIMENSIONS = 1_536
const MODEL = 'large-embedding'
const INPUT = Array.from({ length: COUNT }, (_, place) => `text ${place}`)
// As long as the vendor writes them.
const VECTOR = Array.from({ length: DIMENSIONS }, (_, place) => Math.fround(Math.sin(place + 1)))

function writeReply(encoding: unknown): string {
  const vector = encoding === 'base64' ? JSON.stringify(base64Of(VECTOR)) : JSON.stringify(VECTOR)
  const data = INPUT.map((_, index) => `{"object": "embedding", "index": ${index}, "embedding": ${vector}}`)
  return `{"object": "list", "data": [${data.join(', ')}], "model": "m", "usage": {"prompt_tokens": 4096, "total_tokens": 4096}}`
}

const REPLIES = { float: writeReply('float'), base64: writeReply('base64') }
let gateway: TestGateway
let supplier: Bun.Server<undefined>
let secret: string

beforeAll(async () => {
  supplier = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: async (request) => {
      const { encoding_format } = (await request.json()) as { encoding_format?: string }
      const text = encoding_format === 'base64' ? REPLIES.base64 : REPLIES.float
      return new Response(text, { headers: { 'content-type': 'application/json' } })
    },
  })
  gateway = await startTestGateway()
  await gateway.operator('PUT', '/suppliers/large', {
    type: 'openai-compatible',
    base_url: `http://127.0.0.1:${supplier.port}/v1`,
    formats: ['embeddings'],
    enabled: true,
  })
  await gateway.operator('POST', '/suppliers/large/credentials', { secret: 'k' })
  await gateway.operator('PUT', `/models/${MODEL}`, { owned_by: 'tests', kinds: ['embedding'] })
  const route = { upstream_model: 'm', price: TEST_PRICE, enabled: true }
  await gateway.operator('PUT', `/models/${MODEL}/routes/large`, route)
  secret = (await createKey(gateway, await openRichAccount(gateway))).secret
})
afterAll(async () => {
  await gateway.stop()
  await supplier.stop(true)
})

function ask(path: string, body: object) {
  return fetch(gateway.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
}

test.each(['float', 'base64'] as const)(
  '2,048 vectors of 1,536 numbers pass unchanged as %s',
  async (form) => {
    const response = await ask('/v1/embeddings', { model: MODEL, input: INPUT, encoding_format: form })
    const text = await response.text()
    expect(text.length).toBe(REPLIES[form].length)
    expect(text === REPLIES[form]).toBe(true)
  },
)

test('and in another format', async () => {
  const requests = INPUT.map((text) => ({ content: { parts: [{ text }] } }))
  const response = await ask(`/v1beta/models/${MODEL}:batchEmbedContents`, { requests })
  const { embeddings } = (await response.json()) as { embeddings: { values: number[] }[] }
  expect(embeddings).toHaveLength(COUNT)
  expect(embeddings.at(-1)?.values).toEqual(VECTOR)
}, 300_000)
