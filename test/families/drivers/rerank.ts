import { expect } from 'bun:test'
import type { FamilyDriver, FamilySupplier } from '../family-driver.ts'

const voyage: FamilySupplier = { type: 'voyage', format: 'voyage', path: '/voyage/v1' }

const SUPPLIERS: readonly FamilySupplier[] = [
  { type: 'openai-compatible', format: 'rerank', path: '/v1' },
  { type: 'cohere', format: 'rerank', path: '' },
  voyage,
  { type: 'sandbox', format: 'rerank', path: '' },
  { type: 'sandbox', format: 'voyage', path: '' },
]

const driverOf = (version: '1' | '2'): FamilyDriver => ({
  name: `rerank, version ${version}`,
  kind: 'rerank',
  model: 'sandbox-rerank',
  suppliers: SUPPLIERS,
  request: (fields) => ({
    path: `/v${version}/rerank`,
    body: JSON.stringify({
      model: 'sandbox-rerank',
      query: 'the capital of France',
      documents: ['Berlin is large.', 'Paris is the capital of France.', 'The Alps are high.'],
      top_n: 2,
      ...fields,
    }),
  }),
  check: async (response) => {
    const { results } = (await response.json()) as { results: object[] }
    expect(results).toEqual([
      { index: 1, relevance_score: 1 },
      { index: 2, relevance_score: 0.25 },
    ])
  },
  dropped: { fields: { max_tokens_per_doc: 100 }, names: ['max_tokens_per_doc'], supplier: voyage },
})

export const rerankV1 = driverOf('1')
export const rerankV2 = driverOf('2')
