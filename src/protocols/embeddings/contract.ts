import { requestBody } from '../contract-notes.ts'
import type { FormatContract } from '../protocol.ts'
import { EmbeddingReplySchema, EmbeddingRequestSchema } from './schema.ts'

export const EMBEDDING_CONTRACT: FormatContract = {
  tag: 'Embeddings',
  id: 'createEmbedding',
  summary: 'Embed texts',
  description: 'For models with `embedding` in `gateway.kinds`.',
  body: requestBody('EmbeddingRequest', EmbeddingRequestSchema, {
    model: 'sandbox-embedding',
    input: ['A lighthouse at dusk', 'A ship at sea'],
  }),
  answer: {
    description: 'One vector for each input, in their order.',
    name: 'Embeddings',
    schema: EmbeddingReplySchema,
    example: {
      object: 'list',
      data: [{ object: 'embedding', index: 0, embedding: [0.0624, -0.0317, 0.0119] }],
      model: 'sandbox-embedding',
      usage: { prompt_tokens: 9, total_tokens: 9 },
    },
  },
}
