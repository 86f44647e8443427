import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { createCohere } from '@ai-sdk/cohere'
import { rerank } from 'ai'
import { CohereClient, CohereClientV2, CohereError } from 'cohere-ai'
import { createLoneKey } from '../support/accounts.ts'
import { readError, refusalOf } from '../support/chat.ts'
import { eventually } from '../support/eventually.ts'
import { onlySettlementOf, settlementsOf } from '../support/settlements.ts'
import { openUnlimitedKey } from '../support/two-suppliers.ts'
import { rerankV1 } from './drivers/rerank.ts'
import { type FamilyStage, openFamilyStage } from './family-stage.ts'

const QUERY = 'the capital of France'
const DOCUMENTS = ['Berlin is large.', 'Paris is the capital of France.', 'The Alps are high.']
const GENERAL = { type: 'openai-compatible', format: 'rerank', path: '/v1' } as const
const COHERE = { type: 'cohere', format: 'rerank', path: '' } as const
const VOYAGE = { type: 'voyage', format: 'voyage', path: '/voyage/v1' } as const
const MODELS = ['general', 'cohere', 'voyage'] as const

let stage: FamilyStage
/** A supplier that says what a test tells it to. */
let scripted: ReturnType<typeof Bun.serve>
let reply = ''
let key = ''

beforeAll(async () => {
  stage = await openFamilyStage()
  scripted = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response(reply) })
  await stage.addSupplier('general', GENERAL)
  await stage.addSupplier('cohere', COHERE)
  await stage.addSupplier('voyage', VOYAGE)
  await stage.addSupplier('scripted', GENERAL, { more: { base_url: `http://127.0.0.1:${scripted.port}` } })
  for (const id of [...MODELS, 'scripted']) await stage.addModel(id, rerankV1, [id])
  await stage.addModel('roomy', rerankV1, ['voyage', 'general'])
  key = (await openUnlimitedKey(stage.gateway)).secret
})
afterEach(() => stage.first.faults.clear())
afterAll(async () => {
  await stage.stop()
  await scripted.stop(true)
})

interface Ranking {
  readonly id: string
  readonly results: readonly {
    readonly index: number
    readonly relevance_score: number
    readonly document?: unknown
  }[]
  readonly meta?: unknown
  readonly usage?: unknown
}

const ask = (fields: Readonly<Record<string, unknown>>, path = '/v1/rerank', asker = key) =>
  stage.send(
    { path, body: JSON.stringify({ query: QUERY, documents: DOCUMENTS, ...fields }) },
    { key: asker },
  )
const rank = async (fields: Readonly<Record<string, unknown>>, path?: string) =>
  (await (await ask(fields, path)).json()) as Ranking

/** The body of the last call of the first sandbox. */
const sent = () => stage.first.calls.at(-1)?.body

describe.each(MODELS)('through %s', (model) => {
  test('the Cohere SDK ranks in version 2', async () => {
    const client = new CohereClientV2({ token: key, environment: stage.gateway.url })
    const { id, results } = await client.rerank({ model, query: QUERY, documents: DOCUMENTS, topN: 2 })
    expect(id).toBeString()
    expect(results).toEqual([
      { index: 1, relevanceScore: 1 },
      { index: 2, relevanceScore: 0.25 },
    ])
  })

  test('the Cohere SDK ranks in version 1, with documents', async () => {
    const client = new CohereClient({ token: key, environment: stage.gateway.url })
    const documents = [{ text: 'Berlin is large.' }, { text: 'Paris, France', country: 'FR' }]
    const { results, meta } = await client.rerank({
      model,
      query: QUERY,
      documents,
      returnDocuments: true,
      maxChunksPerDoc: 10,
    })
    expect(results.map(({ index, document }) => [index, document as object])).toEqual([
      [1, { text: 'Paris, France', country: 'FR' }],
      [0, { text: 'Berlin is large.' }],
    ])
    if (model !== 'cohere') expect(meta?.apiVersion?.version).toBe('1')
  })

  test('the AI SDK ranks', async () => {
    const cohere = createCohere({ apiKey: key, baseURL: `${stage.gateway.url}/v2` })
    const { rerankedDocuments, ranking } = await rerank({
      model: cohere.reranking(model),
      query: QUERY,
      documents: DOCUMENTS,
      topN: 1,
    })
    expect(rerankedDocuments).toEqual(['Paris is the capital of France.'])
    expect(ranking.map(({ originalIndex, score }) => [originalIndex, score])).toEqual([[1, 1]])
  })

  test('fields of objects are ranked in the order named', async () => {
    const documents = [
      { title: 'capital', text: 'x' },
      { title: 'France, the capital of', text: 'y', year: 1 },
    ]
    const { results } = await rank({
      model,
      documents,
      rank_fields: ['title', 'year'],
      return_documents: true,
    })
    expect(results).toEqual([
      { index: 1, relevance_score: 1, document: documents[1] },
      { index: 0, relevance_score: 0.25, document: documents[0] },
    ])
    expect(sent()).toMatchObject({ documents: ['title: capital', 'title: France, the capital of\nyear: 1'] })
  })
})

describe('a supplier of the same format', () => {
  test('gets the body as it is, and its reply comes back unchanged', async () => {
    await rank({ model: 'general', max_tokens_per_doc: 77 }, '/v2/rerank')
    expect(sent()).toEqual({
      model: 'sandbox-rerank',
      query: QUERY,
      documents: DOCUMENTS,
      max_tokens_per_doc: 77,
    })
    reply =
      '{ "results": [ {"index":1, "relevance_score":0.90, "x":1}], "usage": {"total_tokens": 7 }, "meta":null }'
    const response = await ask({ model: 'scripted' })
    expect(await response.text()).toBe(reply)
  })

  test('has `meta` added, which clients require and Jina leaves out', async () => {
    reply = '{"model":"jina-reranker-v3","results":[{"index":1,"relevance_score":0.90}]}'
    const response = await ask({ model: 'scripted' }, '/v2/rerank')
    expect(await response.text()).toBe(
      '{"meta":{"api_version":{"version":"2"}},"model":"jina-reranker-v3","results":[{"index":1,"relevance_score":0.90}]}',
    )
    const cohere = createCohere({ apiKey: key, baseURL: `${stage.gateway.url}/v2` })
    const model = cohere.reranking('scripted')
    const { ranking } = await rerank({ model, query: QUERY, documents: DOCUMENTS })
    expect(ranking.map(({ originalIndex }) => originalIndex)).toEqual([1])
  })

  test('has its documents sorted, cut and completed when it does not do so itself', async () => {
    const results = [
      { index: 0, relevance_score: 0.1 },
      { index: 1, relevance_score: 0.9, document: { text: DOCUMENTS[1] } },
      { index: 2, relevance_score: 0.5, extra: true },
    ]
    reply = JSON.stringify({ id: 'r', results, model: 'm' })
    expect(await rank({ model: 'scripted', top_n: 2, return_documents: true })).toEqual({
      id: 'r',
      model: 'm',
      meta: { api_version: { version: '1' } },
      results: [
        { index: 1, relevance_score: 0.9, document: { text: DOCUMENTS[1] } },
        { index: 2, relevance_score: 0.5, document: { text: DOCUMENTS[2] }, extra: true },
      ],
    } as unknown as Ranking)
    const bare = await rank({ model: 'scripted', return_documents: false })
    expect(bare.results.map(({ document }) => document)).toEqual([undefined, undefined, undefined])
  })

  test.each([
    ['a document that is not there', [{ index: 3, relevance_score: 1 }]],
    ['a document twice', [0, 0].map((index) => ({ index, relevance_score: 1 }))],
    ['no score', [{ index: 0 }]],
  ])('that ranks %s has failed', async (_what, results) => {
    reply = JSON.stringify({ results })
    expect(await refusalOf(await ask({ model: 'scripted' }))).toEqual([502, 'provider_error'])
  })

  test('that refuses a parameter is asked again without it, and from then on at once', async () => {
    const fields = { model: 'cohere', max_chunks_per_doc: 5 }
    for (const _time of [1, 2]) {
      const response = await ask(fields)
      expect([response.status, response.headers.get('x-gateway-dropped-params')]).toEqual([
        200,
        'max_chunks_per_doc',
      ])
      expect(sent()).not.toHaveProperty('max_chunks_per_doc')
    }
  })
})

describe('limits', () => {
  const many = (count: number) => Array.from({ length: count }, (_, place) => `document ${place}`)

  test('more than 10,000 documents are refused', async () => {
    const response = await ask({ model: 'general', documents: many(10_001) })
    expect(await readError(response)).toMatchObject({
      code: 'invalid_request',
      param: 'documents',
      message: 'documents may have at most 10000 entries, but has 10001.',
    })
  })

  test('a supplier that takes fewer is passed over, or the client is told', async () => {
    const documents = many(1_001)
    expect(await refusalOf(await ask({ model: 'voyage', documents }))).toEqual([400, 'invalid_request'])
    const response = await ask({ model: 'roomy', documents, top_n: 1 })
    expect([response.status, response.headers.get('x-gateway-route')]).toEqual([200, 'general'])
  })

  test.each([
    [{ documents: [] }, 'documents'],
    [{ documents: ['x', 7] }, 'documents[1]'],
    [{ query: 7 }, 'query'],
    [{ top_n: 0 }, 'top_n'],
  ])('%j is refused', async (fields, param) => {
    const error = await readError(await ask({ model: 'general', ...fields }))
    expect([error.code, error.param]).toEqual(['invalid_request', param])
  })

  test('a document without a text goes to suppliers of the same format only', async () => {
    const documents = [{ image: 'https://example.com/a.png' }]
    const error = await readError(await ask({ model: 'voyage', documents }))
    expect(error.param).toBe('documents[0]')
    reply = '{"results":[{"index":0,"relevance_score":0.5}]}'
    expect((await rank({ model: 'scripted', documents, return_documents: true })).results).toEqual([
      { index: 0, relevance_score: 0.5, document: documents[0] },
    ])
  })
})

describe('what it costs', () => {
  const LONG = 'word '.repeat(1_000)

  async function settle(fields: Readonly<Record<string, unknown>>) {
    const { id, secret } = await createLoneKey(stage.gateway)
    expect((await ask(fields, '/v2/rerank', secret)).status).toBe(200)
    return onlySettlementOf(stage.gateway, id)
  }

  test('search units as Cohere reports them', async () => {
    // 150 documents of three chunks each.
    const settlement = await settle({ model: 'cohere', documents: Array(150).fill(LONG) })
    expect(settlement).toMatchObject({
      provenance: 'supplier',
      usage: { input: 0, output: 0, details: { search_units: 5 } },
      amount: '0.01',
    })
  })

  test('tokens as Voyage reports them, and units by our count when the route has a price for them', async () => {
    const settlement = await settle({ model: 'voyage' })
    expect(settlement).toMatchObject({ provenance: 'counted', usage: { details: { search_units: 1 } } })
    // Three times the query of six tokens, and the documents.
    expect(settlement.usage.input).toBe(3 * 6 + 4 + 8 + 5)
  })

  test('only tokens when the route has no price for units', async () => {
    await stage.gateway.operator('PUT', '/models/by-token', { owned_by: 'tests', kinds: ['rerank'] })
    await stage.gateway.operator('PUT', '/models/by-token/routes/voyage', {
      upstream_model: 'sandbox-rerank',
      price: { input: '0.05', output: '0' },
      enabled: true,
    })
    expect(await settle({ model: 'by-token' })).toMatchObject({
      provenance: 'supplier',
      usage: { input: 35, output: 0 },
      amount: '0.00000175',
    })
  })

  test('our own count when nothing is reported', async () => {
    stage.first.faults.set({ times: 1, fault: { type: 'missing-usage' } })
    const settlement = await settle({ model: 'cohere', documents: Array(250).fill('a short one') })
    expect(settlement).toMatchObject({ provenance: 'counted', usage: { details: { search_units: 3 } } })
    expect(settlement.usage.input).toBeGreaterThan(250 * 6)
  })

  test('more tokens than the model reads at once are plausible, since it reads documents one by one', async () => {
    await stage.gateway.operator('PUT', '/models/scripted', {
      owned_by: 'tests',
      kinds: ['rerank'],
      input_token_limit: 1_000,
    })
    reply = JSON.stringify({ results: [], usage: { total_tokens: 2_500 } })
    expect(await settle({ model: 'scripted' })).toMatchObject({ usage: { input: 2_500 }, notes: [] })
  })
})

test('errors have their message where the Cohere SDKs look for it', async () => {
  const client = new CohereClientV2({ token: key, environment: stage.gateway.url })
  const error = await client
    .rerank({ model: 'nothing', query: QUERY, documents: DOCUMENTS })
    .catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(CohereError)
  expect((error as CohereError).statusCode).toBe(404)
  expect((error as CohereError).body).toMatchObject({
    message: expect.stringContaining('does not exist'),
    error: { code: 'model_not_found' },
  })
})

test('docs/clients/rerank.md has an example that works', async () => {
  const page = await Bun.file(`${import.meta.dirname}/../../docs/clients/rerank.md`).text()
  const request = /-d '(\{.*?\})'/s.exec(page)?.[1] ?? ''
  const answer = JSON.parse(/```json\n(.*?)```/s.exec(page)?.[1] ?? '')
  const response = await stage.send({ path: '/v2/rerank', body: request }, { key })
  expect(await response.json()).toEqual({ ...answer, id: expect.any(String) })
})

test('a model of another kind says where to call it', async () => {
  const error = await readError(await ask({ model: 'sandbox-chat' }))
  expect([error.code, error.param]).toEqual(['invalid_request', 'model'])
  expect(error.message).toContain('cannot rerank documents')
})

test('a client that leaves is charged units where its supplier charges for abandoned calls', async () => {
  const { id, secret } = await createLoneKey(stage.gateway)
  await stage.addSupplier('charging', COHERE, { more: { aborts: 'prompt' } })
  await stage.addModel('charging', rerankV1, ['charging'])
  stage.first.faults.set({ times: 1, fault: { type: 'hang' } })
  const leaving = new AbortController()
  const aborted = stage.first.nextAbort()
  const calls = stage.first.calls.at(-1)?.number
  const asked = stage.send(
    { path: '/v2/rerank', body: JSON.stringify({ model: 'charging', query: QUERY, documents: DOCUMENTS }) },
    { key: secret, signal: leaving.signal },
  )
  await eventually('the call of the supplier', () => stage.first.calls.at(-1)?.number !== calls)
  leaving.abort()
  await expect(asked).rejects.toThrow()
  await aborted
  const [settlement] = await settlementsOf(stage.gateway, id, 1)
  expect(settlement).toMatchObject({ outcome: 'client_left', usage: { details: { search_units: 1 } } })
})
