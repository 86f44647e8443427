import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createGoogleGenerativeAI } from '@ai-sdk/google'
import { createOpenAI } from '@ai-sdk/openai'
import { GoogleGenAI } from '@google/genai'
import { OpenAIEmbeddings } from '@langchain/openai'
import { embedMany, embed as embedOne } from 'ai'
import { OpenAI } from 'openai'
import { embed } from '../../../src/sandbox/embeddings/embed.ts'
import { settlementsOf } from '../../support/settlements.ts'
import {
  type EmbeddingGateway,
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

const TEXTS = ['A lighthouse at dusk', 'A ship at sea', 'Größe und Übermut 👋']
// The sandbox counts a token for every four characters of each text.
const TOKENS = TEXTS.reduce((total, text) => total + Math.ceil(text.length / 4), 0)

type Embed = (supplier: SupplierName, dimensions: number) => Promise<readonly (readonly number[])[]>

const clientOf = (supplier: SupplierName) => ({
  apiKey: place.keyOf(supplier).secret,
  baseURL: `${place.gateway.url}/v1`,
})

const SDKS: Readonly<Record<string, Embed>> = {
  openai: async (supplier, dimensions) => {
    const client = new OpenAI({ ...clientOf(supplier), maxRetries: 0 })
    const { data } = await client.embeddings.create({ model: MODEL, input: TEXTS, dimensions })
    expect(data.map(({ index }) => index)).toEqual([0, 1, 2])
    return data.map(({ embedding }) => embedding)
  },
  'openai, as numbers': async (supplier, dimensions) => {
    const client = new OpenAI({ ...clientOf(supplier), maxRetries: 0 })
    const request = { model: MODEL, input: TEXTS, dimensions, encoding_format: 'float' } as const
    const { data, usage } = await client.embeddings.create(request)
    expect(usage).toEqual({ prompt_tokens: TOKENS, total_tokens: TOKENS })
    return data.map(({ embedding }) => embedding)
  },
  '@google/genai': async (supplier, dimensions) => {
    const { secret: apiKey } = place.keyOf(supplier)
    const client = new GoogleGenAI({ apiKey, httpOptions: { baseUrl: place.gateway.url } })
    const config = { outputDimensionality: dimensions, taskType: 'RETRIEVAL_DOCUMENT' }
    const { embeddings = [] } = await client.models.embedContent({ model: MODEL, contents: TEXTS, config })
    return embeddings.map(({ values = [] }) => values)
  },
  '@langchain/openai': (supplier, dimensions) => {
    const { apiKey, baseURL } = clientOf(supplier)
    const configuration = { baseURL }
    return new OpenAIEmbeddings({
      apiKey,
      configuration,
      model: MODEL,
      dimensions,
      maxRetries: 0,
    }).embedDocuments(TEXTS)
  },
  'AI SDK embedMany': async (supplier, dimensions) => {
    const model = createOpenAI(clientOf(supplier)).embeddingModel(MODEL)
    const providerOptions = { openai: { dimensions } }
    const { embeddings, usage } = await embedMany({ model, values: TEXTS, providerOptions, maxRetries: 0 })
    expect(usage.tokens).toBe(TOKENS)
    return embeddings
  },
  'AI SDK for Google': async (supplier, outputDimensionality) => {
    const { secret: apiKey } = place.keyOf(supplier)
    const google = createGoogleGenerativeAI({ apiKey, baseURL: `${place.gateway.url}/v1beta` })
    const providerOptions = { google: { outputDimensionality, taskType: 'RETRIEVAL_QUERY' } }
    const many = { model: google.embeddingModel(MODEL), values: TEXTS, providerOptions, maxRetries: 0 }
    return (await embedMany(many)).embeddings
  },
}

function expectVectors(vectors: readonly (readonly number[])[], dimensions: number): void {
  const wanted = TEXTS.map((text) => [...embed(text, dimensions)])
  expect(vectors.map((vector) => vector.map(Math.fround))).toEqual(wanted)
}

for (const supplier of SUPPLIERS) {
  describe(supplier, () => {
    for (const [name, run] of Object.entries(SDKS)) {
      test(`${name} gets the vectors of every text`, async () => {
        const key = place.keyOf(supplier)
        const { length: before } = await settlementsOf(place.gateway, key.id, 0)
        expectVectors(await run(supplier, 64), 64)
        const [settlement] = await settlementsOf(place.gateway, key.id, before + 1)
        expect(settlement).toMatchObject({
          supplier,
          outcome: 'completed',
          provenance: 'supplier',
          usage: { input: TOKENS, output: 0 },
        })
      })
    }
  })
}

test('one text: the AI SDK with both of its providers', async () => {
  const { secret: apiKey } = place.keyOf('google')
  const google = createGoogleGenerativeAI({ apiKey, baseURL: `${place.gateway.url}/v1beta` })
  const openai = createOpenAI(clientOf('cohere'))
  for (const model of [google.embeddingModel(MODEL), openai.embeddingModel(MODEL)]) {
    const { embedding } = await embedOne({ model, value: TEXTS[0] ?? '', maxRetries: 0 })
    expect(embedding.map(Math.fround)).toEqual([...embed(TEXTS[0] ?? '', 256)])
  }
})
