import { asVector } from '../../conversation/families/embeddings.ts'
import { asObject } from '../../wire/json-values.ts'
import {
  droppedUser,
  type EmbeddingSide,
  type EmbeddingWish,
  inputTokens,
  textsOf,
} from '../embedding-side.ts'
import { decodeErrorBody } from '../error-body.ts'

/** Amazon's Titan models on Bedrock, which embed one text per call. The address names the model. */
export const titanEmbeddings: EmbeddingSide = {
  name: 'titan',
  decodeError: decodeErrorBody,
  limits: { inputs: 1, tokens: null },
  takesTokens: false,
  encodeRequest: (request, ranges) => ({
    bodies: ranges.map((range) =>
      JSON.stringify({
        inputText: textsOf(request, range)[0] ?? '',
        ...(request.dimensions !== null && { dimensions: request.dimensions }),
      }),
    ),
    dropped: [...purposeOf(request.purpose), ...droppedUser(request)],
  }),
  decodeReply: (body) => {
    const reply = asObject(body)
    const vector = asVector(reply?.embedding)
    return vector === null ? null : { vectors: [vector], usage: inputTokens(reply?.inputTextTokenCount) }
  },
  strippable: new Set(),
  dimensionsName: 'dimensions',
}

function purposeOf(purpose: unknown): readonly EmbeddingWish[] {
  return purpose === null ? [] : ['purpose']
}
