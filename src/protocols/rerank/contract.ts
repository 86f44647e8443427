import Type from 'typebox'
import { requestBody } from '../contract-notes.ts'
import type { FormatContract } from '../protocol.ts'
import { RerankReplySchema, RerankRequestSchema } from './schema.ts'

const common = {
  tag: 'Rerank',
  answer: {
    description: 'The documents by relevance, the best first.',
    name: 'Ranking',
    schema: RerankReplySchema,
    example: {
      id: '0c3e1f0e-7f0e-4a53-9b7e-1f2a3b4c5d6e',
      results: [
        { index: 1, relevance_score: 0.91 },
        { index: 0, relevance_score: 0.12 },
      ],
      meta: { api_version: { version: '2' }, billed_units: { search_units: 1 } },
    },
  },
  body: requestBody('RerankRequest', RerankRequestSchema, {
    model: 'sandbox-rerank',
    query: 'What is the capital of France?',
    documents: ['Berlin is in Germany.', 'Paris is the capital of France.'],
  }),
  errorBody: {
    name: 'RerankError',
    fields: { message: Type.String({ description: 'The same as in `error`.' }) },
  },
} as const

/** The rerank endpoints. */
export const RERANK_CONTRACTS = {
  '1': {
    ...common,
    id: 'rerank',
    summary: 'Rank documents by relevance to a query',
    description: 'For models with `rerank` in `gateway.kinds`.',
  },
  '2': {
    ...common,
    id: 'rerankV2',
    summary: 'Rank documents by relevance to a query, as in version 2 of the API',
    description: 'Takes and returns the same as `POST /v1/rerank`.',
  },
} as const satisfies Readonly<Record<string, FormatContract>>
