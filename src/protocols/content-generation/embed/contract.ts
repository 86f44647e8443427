import type { Parameter } from '../../../vocabulary/runtime/contract.ts'
import { requestBody } from '../../contract-notes.ts'
import type { FormatContract } from '../../protocol.ts'
import {
  BatchEmbedReplySchema,
  BatchEmbedRequestSchema,
  EmbedReplySchema,
  EmbedRequestSchema,
} from './schema.ts'

const MODEL: Parameter = {
  name: 'model',
  in: 'path',
  description: 'A model id. Slashes need no escaping.',
}

const common = {
  tag: 'Embeddings',
  description: 'For models with `embedding` in `gateway.kinds`.',
  parameters: [MODEL],
} as const

const EXAMPLE = { content: { parts: [{ text: 'A lighthouse at dusk' }] }, taskType: 'RETRIEVAL_DOCUMENT' }
const VECTOR = { values: [0.0624, -0.0317, 0.0119] }
const USAGE = { promptTokenCount: 5 }

function contractsOf(collection: string, suffix: string): readonly FormatContract[] {
  return [
    {
      ...common,
      documentPath: `${collection}/{model}:embedContent`,
      id: `embedContent${suffix}`,
      summary: 'Embed a text',
      body: requestBody('EmbedContentRequest', EmbedRequestSchema, EXAMPLE),
      answer: {
        description: 'The vector.',
        name: 'EmbedContentResult',
        schema: EmbedReplySchema,
        example: { embedding: VECTOR, usageMetadata: USAGE },
      },
    },
    {
      ...common,
      documentPath: `${collection}/{model}:batchEmbedContents`,
      id: `batchEmbedContents${suffix}`,
      summary: 'Embed several texts',
      body: requestBody('BatchEmbedContentsRequest', BatchEmbedRequestSchema, { requests: [EXAMPLE] }),
      answer: {
        description: 'One vector for each request, in their order.',
        name: 'BatchEmbedContentsResult',
        schema: BatchEmbedReplySchema,
        example: { embeddings: [VECTOR], usageMetadata: USAGE },
      },
    },
  ]
}

/** By the path of the endpoint, which also generates content. */
export const EMBED_CONTRACTS: Readonly<Record<string, readonly FormatContract[]>> = {
  '/v1beta/models/*': contractsOf('/v1beta/models', ''),
  '/v1/models/*': contractsOf('/v1/models', 'V1'),
}
