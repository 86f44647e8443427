import {
  asVectors,
  type EmbeddingAnswer,
  type EmbeddingPurpose,
} from '../../conversation/families/embeddings.ts'
import { asObject } from '../../wire/json-values.ts'
import { droppedUser, type EmbeddingSide, inputTokens, purposeWord, textsOf } from '../embedding-side.ts'
import { decodeErrorBody } from '../error-body.ts'

/** The format requires a word, and has none for texts that are only compared with each other. */
const INPUT_TYPES: Readonly<Partial<Record<EmbeddingPurpose, string>>> = {
  query: 'search_query',
  question: 'search_query',
  'fact-check': 'search_query',
  'code-query': 'search_query',
  document: 'search_document',
  classification: 'classification',
  clustering: 'clustering',
}
// What is embedded in bulk is nearly always searched later.
const USUAL_INPUT_TYPE = 'search_document'

/** Cohere's `/v2/embed`, also on Amazon Bedrock, whose address names the model. */
export const cohereEmbeddings: EmbeddingSide = {
  name: 'cohere',
  decodeError: decodeErrorBody,
  limits: { inputs: 96, tokens: null },
  takesTokens: false,
  encodeRequest: (request, ranges, { upstreamModel }) => {
    const { word, dropped } = purposeWord(request.purpose, INPUT_TYPES)
    const bodies = ranges.map((range) =>
      JSON.stringify({
        model: upstreamModel,
        texts: textsOf(request, range),
        input_type: word ?? USUAL_INPUT_TYPE,
        embedding_types: ['float'],
        // Otherwise the end of a long text would be left out in silence.
        truncate: 'NONE',
        ...(request.dimensions !== null && { output_dimension: request.dimensions }),
      }),
    )
    return { bodies, dropped: [...dropped, ...droppedUser(request)] }
  },
  decodeReply,
  strippable: new Set(['truncate']),
  dimensionsName: 'output_dimension',
}

function decodeReply(body: unknown): EmbeddingAnswer | null {
  const reply = asObject(body)
  // Older models answer with a plain list of vectors.
  const list = asObject(reply?.embeddings)?.float ?? reply?.embeddings
  const vectors = Array.isArray(list) ? asVectors(list) : null
  return (
    vectors && { vectors, usage: inputTokens(asObject(asObject(reply?.meta)?.billed_units)?.input_tokens) }
  )
}
