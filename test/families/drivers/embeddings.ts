import { expect } from 'bun:test'
import { embed } from '../../../src/sandbox/embeddings/embed.ts'
import type { FamilyDriver, FamilySupplier } from '../family-driver.ts'

const TEXTS = ['A lighthouse at dusk', 'A ship at sea']
const DIMENSIONS = 32

const COHERE: FamilySupplier = { type: 'cohere', format: 'cohere', path: '' }

/** Embeddings, at every supplier that can be driven at the address of the sandbox. */
export const embeddings: FamilyDriver = {
  name: 'embeddings',
  kind: 'embedding',
  model: 'sandbox-embedding',
  suppliers: [
    { type: 'openai', format: 'embeddings', path: '/v1' },
    { type: 'openai-compatible', format: 'embeddings', path: '/v1' },
    { type: 'google', format: 'content-generation', path: '' },
    COHERE,
    { type: 'voyage', format: 'voyage', path: '/voyage/v1' },
    { type: 'bedrock', format: 'titan', path: '' },
    { type: 'bedrock', format: 'cohere', path: '' },
    { type: 'sandbox', format: 'titan', path: '' },
  ],
  request: (fields = {}) => ({
    path: '/v1/embeddings',
    body: JSON.stringify({ model: 'sandbox-embedding', input: TEXTS, dimensions: DIMENSIONS, ...fields }),
  }),
  check: async (response) => {
    const text = await response.text()
    expect([response.status, response.ok ? '' : text]).toEqual([200, ''])
    const { data } = JSON.parse(text) as { data: { index: number; embedding: number[] }[] }
    expect(data.map(({ index }) => index)).toEqual([0, 1])
    const wanted = TEXTS.map((each) => [...embed(each, DIMENSIONS)])
    expect(data.map(({ embedding }) => embedding.map(Math.fround))).toEqual(wanted)
  },
  dropped: { fields: { user: 'someone' }, names: ['user'], supplier: COHERE },
}
