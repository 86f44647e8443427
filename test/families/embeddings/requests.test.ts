import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { embed, embedTokens } from '../../../src/sandbox/embeddings/embed.ts'
import { eventually } from '../../support/eventually.ts'
import { settlementsOf } from '../../support/settlements.ts'
import { BOOTSTRAP_KEY } from '../../support/test-gateway.ts'
import {
  type EmbeddingGateway,
  INPUTS_PER_CALL,
  MODEL,
  SUPPLIERS,
  type SupplierName,
  startEmbeddingGateway,
} from './suppliers.ts'

let place: EmbeddingGateway

beforeAll(async () => {
  place = await startEmbeddingGateway()
})
afterAll(() => place.stop())

interface Options {
  readonly supplier?: SupplierName
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
}

function ask(body: object, { supplier = 'openai', path = '/v1/embeddings', headers }: Options = {}) {
  return fetch(place.gateway.url + path, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${place.keyOf(supplier).secret}`,
      'content-type': 'application/json',
      ...headers,
    },
    body: JSON.stringify(body),
  })
}

interface Reply {
  readonly data: readonly { readonly index: number; readonly embedding: readonly number[] }[]
  readonly model: string
  readonly usage: { readonly prompt_tokens: number; readonly total_tokens: number }
}

const read = async (response: Response) => {
  const text = await response.text()
  expect([response.status, response.ok ? '' : text]).toEqual([200, ''])
  return JSON.parse(text) as Reply
}

const rounded = (vectors: readonly (readonly number[])[]) => vectors.map((vector) => vector.map(Math.fround))

/** The settlement of a request, once it is stored. */
function settlementOf(response: Response, supplier: SupplierName) {
  return eventually('the settlement', async () => {
    const settlements = await settlementsOf(place.gateway, place.keyOf(supplier).id, 1)
    const id = response.headers.get('x-request-id')
    return settlements.find(({ request_id }) => request_id === id) ?? false
  })
}

interface Refusal {
  readonly error: { readonly message: string; readonly param?: string; readonly code: string }
}
const refusal = async (response: Response) => ({
  status: response.status,
  ...((await response.json()) as Refusal).error,
})

describe('inputs', () => {
  const TOKENS = [1_037, 9_906, 11]

  test('a text, a list of texts, tokens, and a list of tokens', async () => {
    const ofText = await read(await ask({ model: MODEL, input: 'a ship', dimensions: 8 }))
    expect(rounded(ofText.data.map(({ embedding }) => embedding))).toEqual([[...embed('a ship', 8)]])
    const ofTokens = await read(await ask({ model: MODEL, input: TOKENS, dimensions: 8 }))
    expect(rounded([ofTokens.data[0]?.embedding ?? []])).toEqual([[...embedTokens(TOKENS, 8)]])
    expect(ofTokens.usage.prompt_tokens).toBe(3)
    const ofLists = await read(await ask({ model: MODEL, input: [TOKENS, [7]], dimensions: 8 }))
    expect(ofLists.data.map(({ index }) => index)).toEqual([0, 1])
    expect(ofLists.usage).toEqual({ prompt_tokens: 4, total_tokens: 4 })
  })

  test.each(['cohere', 'voyage', 'google', 'vertex', 'bedrock-titan'] as const)(
    'tokens are refused where only %s could embed them',
    async (supplier) => {
      const answer = await refusal(await ask({ model: MODEL, input: [TOKENS] }, { supplier }))
      expect(answer).toMatchObject({ status: 400, code: 'unsupported_parameter', param: 'input' })
      expect(answer.message).toContain('not lists of tokens')
    },
  )

  const REFUSED: readonly (readonly [fields: object, param: string])[] = [
    [{}, 'input'],
    [{ input: '' }, 'input'],
    [{ input: [] }, 'input'],
    [{ input: 7 }, 'input'],
    [{ input: ['a', ''] }, 'input[1]'],
    [{ input: ['a', 7] }, 'input[1]'],
    [{ input: [[1], []] }, 'input[1]'],
    [{ input: [[1], 'a'] }, 'input[1]'],
    [{ input: [[1, -1]] }, 'input[0][1]'],
    [{ input: [1.5] }, 'input[0]'],
    [{ input: Array(2_049).fill('a') }, 'input'],
    [{ input: 'a', dimensions: 0 }, 'dimensions'],
    [{ input: 'a', dimensions: '8' }, 'dimensions'],
    [{ input: 'a', encoding_format: 'int8' }, 'encoding_format'],
    [{ input: 'a', user: 7 }, 'user'],
    [{ input: 'a', model: '' }, 'model'],
  ]
  test.each(REFUSED)('%j is refused at its field', async (fields, param) => {
    expect(await refusal(await ask({ model: MODEL, ...fields }))).toMatchObject({ status: 400, param })
  })

  test('a model that does not embed says what it can do', async () => {
    const headers = { authorization: `Bearer ${BOOTSTRAP_KEY}` }
    const answer = await refusal(await ask({ model: 'sandbox-chat', input: 'a' }, { headers }))
    expect(answer.message).toContain('cannot embed text')
    const chat = { model: MODEL, messages: [{ role: 'user', content: 'a' }] }
    const other = await refusal(await ask(chat, { path: '/v1/chat/completions' }))
    expect(other.message).toContain('POST /v1/embeddings')
  })
})

describe('a long list', () => {
  test.each([...SUPPLIERS])('is sent to %s in parts and joined in order', async (supplier) => {
    const perCall = INPUTS_PER_CALL[supplier]
    const count = Math.min(2_048, perCall === 1 ? 20 : perCall * 2 + 1)
    const input = Array.from({ length: count }, (_, place) => `text number ${place}`)
    const response = await ask({ model: MODEL, input, dimensions: 4 }, { supplier })
    const reply = await read(response)
    expect(reply.data.map(({ index }) => index)).toEqual(input.map((_, place) => place))
    const wanted = input.map((text) => [...embed(text, 4)])
    expect(rounded(reply.data.map(({ embedding }) => embedding))).toEqual(wanted)
    const tokens = input.reduce((total, text) => total + Math.ceil(text.length / 4), 0)
    expect(reply.usage).toEqual({ prompt_tokens: tokens, total_tokens: tokens })
    const settlement = await settlementOf(response, supplier)
    expect(settlement).toMatchObject({ usage: { input: tokens }, provenance: 'supplier' })
  })

  test('is also split where its tokens are too many for one call', async () => {
    // About 8,000 tokens each, of which the supplier takes 300,000 in one call.
    const input = Array.from({ length: 60 }, (_, place) => `${place} ${'word '.repeat(6_400)}`)
    const reply = await read(await ask({ model: MODEL, input, dimensions: 2 }))
    expect(reply.data.map(({ index }) => index)).toEqual(input.map((_, place) => place))
    const tokens = input.reduce((total, text) => total + Math.ceil(text.length / 4), 0)
    expect(tokens).toBeGreaterThan(300_000)
    expect(reply.usage.prompt_tokens).toBe(tokens)
  })
})

describe('purposes', () => {
  const lastBody = () => place.gateway.sandbox.calls.at(-1)?.body

  test('reach suppliers that know them', async () => {
    await read(await ask({ model: MODEL, input: 'a', input_type: 'query' }, { supplier: 'cohere' }))
    expect(lastBody()).toMatchObject({ input_type: 'search_query', truncate: 'NONE' })
    await read(await ask({ model: MODEL, input: 'a' }, { supplier: 'cohere' }))
    expect(lastBody()).toMatchObject({ input_type: 'search_document' })
    await read(await ask({ model: MODEL, input: 'a', input_type: 'document' }, { supplier: 'voyage' }))
    expect(lastBody()).toMatchObject({ input_type: 'document', truncation: false })
    await read(await ask({ model: MODEL, input: 'a', input_type: 'clustering' }, { supplier: 'google' }))
    expect(lastBody()).toMatchObject({ requests: [{ taskType: 'CLUSTERING' }] })
    await read(await ask({ model: MODEL, input: 'a', input_type: 'passage' }, { supplier: 'vertex' }))
    expect(place.clouds.vertex.calls.at(-1)?.body).toEqual({
      instances: [{ content: 'a', task_type: 'RETRIEVAL_DOCUMENT' }],
    })
  })

  test('and other parameters are named where the supplier has no place for them', async () => {
    const body = { model: MODEL, input: 'a', input_type: 'similarity', user: 'u', seed: 1 }
    const answer = await ask(body, { supplier: 'voyage' })
    expect(answer.headers.get('x-gateway-dropped-params')).toBe('input_type, user, seed')
    const strict = await ask(body, { supplier: 'voyage', headers: { 'x-gateway-strict': 'true' } })
    expect(await refusal(strict)).toMatchObject({ status: 400, code: 'unsupported_parameter' })
  })
})

describe('methods of content generation', () => {
  const path = (method: string, version = 'v1beta') => `/${version}/models/${MODEL}:${method}`
  const content = { parts: [{ text: 'a ship' }] }

  test('embedContent answers with one vector, in both versions', async () => {
    for (const supplier of ['google', 'openai'] as const) {
      for (const version of ['v1beta', 'v1']) {
        const body = { content, taskType: 'RETRIEVAL_QUERY', output_dimensionality: 8 }
        const response = await ask(body, { supplier, path: path('embedContent', version) })
        const reply = (await response.json()) as {
          embedding: { values: number[] }
          usageMetadata: { promptTokenCount: number }
        }
        expect(rounded([reply.embedding.values])).toEqual([[...embed('a ship', 8)]])
        expect(reply.usageMetadata.promptTokenCount).toBe(2)
        expect(response.headers.get('x-gateway-dropped-params')).toBe(
          supplier === 'openai' ? 'taskType' : null,
        )
      }
    }
  })

  test('batchEmbedContents keeps what each request says', async () => {
    const requests = [
      { model: `models/${MODEL}`, content, title: 'One', outputDimensionality: 4 },
      { model: `models/${MODEL}`, content, taskType: 'CLUSTERING', outputDimensionality: 8 },
    ]
    const response = await ask({ requests }, { supplier: 'google', path: path('batchEmbedContents') })
    const { embeddings } = (await response.json()) as { embeddings: { values: number[] }[] }
    expect(embeddings.map(({ values }) => values.length)).toEqual([4, 8])
    const other = await ask({ requests }, { supplier: 'cohere', path: path('batchEmbedContents') })
    expect(await refusal(other)).toMatchObject({ status: 400, param: 'requests' })
  })

  test.each([
    ['embedContent', {}, 'content'],
    ['embedContent', { content: { parts: [] } }, 'content.parts'],
    ['embedContent', { content: { parts: [{ text: '' }] } }, 'content'],
    ['embedContent', { content, outputDimensionality: 0 }, 'outputDimensionality'],
    ['batchEmbedContents', { requests: [] }, 'requests'],
    ['batchEmbedContents', { requests: [{ content }, {}] }, 'requests[1].content'],
    ['batchEmbedContents', { requests: Array(2_049).fill({ content }) }, 'requests'],
  ])('%s refuses %j at its field', async (method, body, param) => {
    expect(await refusal(await ask(body, { path: path(method) }))).toMatchObject({ status: 400, param })
  })

  test('media are refused where only text is embedded', async () => {
    const body = { content: { parts: [{ inlineData: { mimeType: 'image/png', data: 'AAAA' } }] } }
    const answer = await refusal(await ask(body, { supplier: 'cohere', path: path('embedContent') }))
    expect(answer).toMatchObject({ status: 400, param: 'content.parts' })
  })

  test('asyncBatchEmbedContent is refused', async () => {
    const answer = await refusal(await ask({ batch: {} }, { path: path('asyncBatchEmbedContent') }))
    expect(answer).toMatchObject({ status: 404, code: 'not_found' })
    expect(answer.message).toContain('batchEmbedContents')
  })
})

test('a relayed reply is the supplier’s, byte for byte', async () => {
  const { sandbox, url } = place.gateway
  const bodies = [
    ['/v1/embeddings', { input: ['one', 'two'], dimensions: 1_536 }],
    ['/v1/embeddings', { input: Array.from({ length: 100 }, (_, at) => `text ${at}`), dimensions: 1_536 }],
    ['/v1/embeddings', { input: Array(100).fill('text'), dimensions: 1_536, encoding_format: 'base64' }],
  ] as const
  for (const [path, body] of bodies) {
    const request = { model: 'sandbox-embedding', ...body }
    const direct = await fetch(sandbox.url + path, {
      method: 'POST',
      headers: { authorization: 'Bearer sk-sandbox-x', 'content-type': 'application/json' },
      body: JSON.stringify(request),
    })
    const relayed = await ask({ ...request, model: MODEL })
    expect(await relayed.text()).toBe(await direct.text())
  }
  expect(url).not.toBe(sandbox.url)
})
