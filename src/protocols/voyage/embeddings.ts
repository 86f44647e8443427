import {
  asVectors,
  type EmbeddingAnswer,
  type EmbeddingPurpose,
} from '../../conversation/families/embeddings.ts'
import { asObject } from '../../wire/json-values.ts'
import {
  droppedUser,
  type EmbeddingSide,
  inOrder,
  inputTokens,
  purposeWord,
  textsOf,
} from '../embedding-side.ts'
import { decodeErrorBody } from '../error-body.ts'

const INPUT_TYPES: Readonly<Partial<Record<EmbeddingPurpose, string>>> = {
  query: 'query',
  question: 'query',
  'fact-check': 'query',
  'code-query': 'query',
  document: 'document',
}

/** Voyage's `/embeddings`. */
export const voyageEmbeddings: EmbeddingSide = {
  name: 'voyage',
  decodeError: decodeErrorBody,
  // The tokens are those of its most limited models.
  limits: { inputs: 1_000, tokens: 120_000 },
  takesTokens: false,
  encodeRequest: (request, ranges, { upstreamModel, refused }) => {
    const { word, dropped } = purposeWord(request.purpose, INPUT_TYPES)
    const bodies = ranges.map((range) =>
      JSON.stringify({
        model: upstreamModel,
        input: textsOf(request, range),
        ...(word !== null && { input_type: word }),
        // Otherwise the end of a long text would be left out in silence.
        ...(!refused.includes('truncation') && { truncation: false }),
        // A quarter of the size of numbers in decimal.
        ...(!refused.includes('encoding_format') && { encoding_format: 'base64' }),
        ...(request.dimensions !== null && { output_dimension: request.dimensions }),
      }),
    )
    return { bodies, dropped: [...dropped, ...droppedUser(request)] }
  },
  decodeReply,
  strippable: new Set(['truncation', 'encoding_format']),
  dimensionsName: 'output_dimension',
}

function decodeReply(body: unknown): EmbeddingAnswer | null {
  const reply = asObject(body)
  const list = inOrder(reply?.data)
  const vectors = list && asVectors(list.map(({ embedding }) => embedding))
  return vectors && { vectors, usage: inputTokens(asObject(reply?.usage)?.total_tokens) }
}
