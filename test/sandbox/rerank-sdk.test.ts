import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { CohereClient, CohereClientV2, CohereError } from 'cohere-ai'
import { OpenAI } from 'openai'
import { VoyageAIClient, VoyageAIError } from 'voyageai'
import { type Sandbox, startSandbox } from '../../src/sandbox/server.ts'

const REQUEST = {
  model: 'sandbox-rerank',
  query: 'red apples',
  documents: ['green pears', 'red apples', 'green apples'],
}

let sandbox: Sandbox
beforeAll(() => {
  sandbox = startSandbox()
})
afterAll(() => sandbox.stop())

describe('the Cohere SDK', () => {
  test('ranks in version 2', async () => {
    const client = new CohereClientV2({ token: 'sk-sandbox-test', environment: sandbox.url })
    const { results, meta } = await client.rerank({ ...REQUEST, topN: 2 })
    expect(results.map(({ index, relevanceScore }) => [index, relevanceScore])).toEqual([
      [1, 1],
      [2, 0.5],
    ])
    expect(meta?.billedUnits?.searchUnits).toBe(1)
  })

  test('ranks in version 1, with documents', async () => {
    const client = new CohereClient({ token: 'sk-sandbox-test', environment: sandbox.url })
    const { results } = await client.rerank({ ...REQUEST, topN: 1, returnDocuments: true })
    expect(results).toEqual([{ index: 1, relevanceScore: 1, document: { text: 'red apples' } }])
  })

  test('is refused fields that version 2 does not have', async () => {
    const client = new CohereClientV2({ token: 'sk-sandbox-test', environment: sandbox.url })
    const asked = client.rerank({ ...REQUEST, return_documents: true } as typeof REQUEST)
    const error = await asked.catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(CohereError)
    expect((error as CohereError).statusCode).toBe(422)
    expect((error as CohereError).body).toMatchObject({
      message: expect.stringContaining("unknown field: parameter 'return_documents'"),
    })
  })
})

describe('the Voyage SDK', () => {
  const connect = (apiKey: string) => new VoyageAIClient({ apiKey, environment: `${sandbox.url}/voyage/v1` })

  test('ranks', async () => {
    const { data, usage } = await connect('sk-sandbox-test').rerank({
      ...REQUEST,
      topK: 1,
      returnDocuments: true,
    })
    expect(data).toEqual([{ index: 1, relevanceScore: 1, document: 'red apples' }])
    // Three times the query of three tokens, and the documents.
    expect(usage).toEqual({ totalTokens: 3 * 3 + 3 + 3 + 3 })
  })

  test('needs a key of the sandbox', async () => {
    const error = await connect('other')
      .rerank(REQUEST)
      .catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(VoyageAIError)
    expect((error as VoyageAIError).statusCode).toBe(401)
  })
})

describe('the OpenAI SDK', () => {
  test('has texts judged', async () => {
    const client = new OpenAI({ apiKey: 'sk-sandbox-test', baseURL: `${sandbox.url}/v1`, maxRetries: 0 })
    const { results } = await client.moderations.create({ input: ['calm', 'graphic violence/graphic'] })
    expect(results.map(({ flagged, categories }) => [flagged, categories['violence/graphic']])).toEqual([
      [false, false],
      [true, true],
    ])
  })

  test('is told that a model does something else', async () => {
    const client = new OpenAI({ apiKey: 'sk-sandbox-test', baseURL: `${sandbox.url}/v1`, maxRetries: 0 })
    const asked = client.moderations.create({ model: 'sandbox-chat', input: 'calm' })
    const error = await asked.catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(OpenAI.BadRequestError)
    expect((error as Error).message).toContain("The model 'sandbox-chat' does not moderate.")
  })
})
