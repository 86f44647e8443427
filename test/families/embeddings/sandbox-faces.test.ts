import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { CohereClientV2 } from 'cohere-ai'
import { VoyageAIClient } from 'voyageai'
import { embed } from '../../../src/sandbox/embeddings/embed.ts'
import { type Sandbox, startSandbox } from '../../../src/sandbox/server.ts'

let sandbox: Sandbox
beforeAll(() => {
  sandbox = startSandbox()
})
afterAll(() => sandbox.stop())

const KEY = 'sk-sandbox-faces'
const MODEL = 'sandbox-embedding'
const TEXTS = ['A lighthouse at dusk', 'A ship at sea']
const vectors = (dimensions: number) => TEXTS.map((text) => [...embed(text, dimensions)])
const rounded = (lists: readonly (readonly number[])[]) => lists.map((list) => list.map(Math.fround))

test('the SDK of Cohere', async () => {
  const client = new CohereClientV2({ token: KEY, environment: sandbox.url })
  const { embeddings, meta } = await client.embed({
    model: MODEL,
    texts: TEXTS,
    inputType: 'search_document',
    embeddingTypes: ['float'],
    outputDimension: 512,
    truncate: 'NONE',
  })
  expect(rounded(embeddings.float ?? [])).toEqual(vectors(512))
  expect(meta?.billedUnits?.inputTokens).toBe(9)
})

test('the SDK of Voyage', async () => {
  const client = new VoyageAIClient({ apiKey: KEY, environment: `${sandbox.url}/voyage/v1` })
  const { data = [], usage } = await client.embed({ model: MODEL, input: TEXTS, inputType: 'query' })
  expect(rounded(data.map(({ embedding = [] }) => embedding))).toEqual(vectors(256))
  expect(usage?.totalTokens).toBe(9)
})

function post(path: string, body: unknown) {
  return fetch(sandbox.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
}

const content = { parts: [{ text: 'a' }] }
const vertexPath = (method: string) =>
  `/v1/projects/p/locations/l/publishers/google/models/${MODEL}:${method}`

describe('what vendors refuse, the sandbox refuses', () => {
  const REFUSED: readonly (readonly [path: string, body: object])[] = [
    ['/v1/embeddings', { model: MODEL, input: 'a', seed: 1 }],
    ['/v1/embeddings', { model: MODEL, input: [] }],
    ['/v1/embeddings', { model: MODEL, input: ['a', ''] }],
    ['/v1/embeddings', { model: MODEL, input: Array(2_049).fill('a') }],
    ['/v1/embeddings', { model: MODEL, input: 'a', dimensions: 1_537 }],
    ['/v1/embeddings', { model: 'sandbox-chat', input: 'a' }],
    ['/v1/embeddings', { model: MODEL, input: 'word '.repeat(8_000) }],
    ['/v2/embed', { model: MODEL, texts: TEXTS }],
    ['/v2/embed', { model: MODEL, texts: Array(97).fill('a'), input_type: 'classification' }],
    ['/voyage/v1/embeddings', { model: MODEL, input: TEXTS, input_type: 'search_query' }],
    ['/voyage/v1/embeddings', { model: MODEL, input: Array(1_001).fill('a') }],
    [`/v1beta/models/${MODEL}:batchEmbedContents`, { requests: Array(101).fill({ content }) }],
    [`/v1beta/models/${MODEL}:batchEmbedContents`, { requests: [{ content, model: 'models/other' }] }],
    [`/v1beta/models/${MODEL}:embedContent`, { content, dimensions: 8 }],
    [vertexPath('predict'), { instances: Array(251).fill({ content: 'a' }) }],
    [vertexPath('embedContent'), { content, taskType: 'CLUSTERING' }],
    [`/model/${MODEL}/invoke`, { inputText: 'a', texts: ['a'] }],
    [`/model/${MODEL}/invoke`, { inputText: '' }],
    [`/model/${MODEL}/invoke`, { model: MODEL, texts: ['a'], input_type: 'clustering' }],
  ]
  test.each(REFUSED)('%s %j', async (path, body) => {
    expect((await post(path, body)).status).toBe(400)
  })

  test('a key or a model that does not exist', async () => {
    const request = { method: 'POST', body: JSON.stringify({ model: MODEL, input: 'a' }) }
    expect((await fetch(`${sandbox.url}/v1/embeddings`, request)).status).toBe(401)
    expect((await post('/v1/embeddings', { model: 'none', input: 'a' })).status).toBe(404)
  })
})

test('texts with the same words are similar, and a shorter vector begins a longer one', () => {
  const similarity = (one: string, other: string) => {
    const right = embed(other, 256)
    return embed(one, 256).reduce((sum, value, at) => sum + value * (right[at] ?? 0), 0)
  }
  const alike = similarity('the lighthouse keeper', 'a keeper of the lighthouse')
  expect(alike).toBeGreaterThan(0.6)
  expect(similarity('the lighthouse keeper', 'bananas are yellow')).toBeLessThan(0.2)
  expect(similarity('same', 'same')).toBeCloseTo(1, 5)
  const short = embed('the lighthouse keeper', 2)
  const long = embed('the lighthouse keeper', 1_536)
  expect((short[0] ?? 0) / (short[1] ?? 1)).toBeCloseTo((long[0] ?? 0) / (long[1] ?? 1), 4)
})
