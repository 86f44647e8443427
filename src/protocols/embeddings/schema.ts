import Type, { type Static, type TSchema } from 'typebox'
import { MODEL_NOTE } from '../contract-notes.ts'
import { MAX_DIMENSIONS, MAX_EMBEDDING_INPUTS } from '../embedding-side.ts'

const OptionalOrNull = <Schema extends TSchema>(schema: Schema) =>
  Type.Optional(Type.Union([schema, Type.Null()]))

const Token = Type.Integer({ minimum: 0 })
const Text = Type.String({ minLength: 1 })
const list = (item: TSchema) => Type.Array(item, { minItems: 1, maxItems: MAX_EMBEDDING_INPUTS })

/** Checked by hand, because the error is to name the entry at fault. */
const Input = Type.Union([Text, list(Text), Type.Array(Token, { minItems: 1 }), list(Type.Array(Token))], {
  description: `A text, a list of texts, a list of tokens, or several of those: at most ${MAX_EMBEDDING_INPUTS}. Only suppliers of the same format take tokens.`,
})

const fields = {
  model: Type.String({ minLength: 1, description: MODEL_NOTE }),
  encoding_format: OptionalOrNull(
    Type.Enum(['float', 'base64'], {
      description: '`base64`: each vector as little-endian 32-bit floats. Defaults to `float`.',
    }),
  ),
  dimensions: OptionalOrNull(
    Type.Integer({
      minimum: 1,
      maximum: MAX_DIMENSIONS,
      description: 'The length of the vectors. A supplier that cannot is not used.',
    }),
  ),
  input_type: OptionalOrNull(
    Type.String({
      description:
        'What the texts are, for models that embed them differently: `query`, `document`, `similarity`, `classification` or `clustering`.',
    }),
  ),
  user: OptionalOrNull(Type.String()),
}

export const EmbeddingRequestSchema = Type.Object({ ...fields, input: Input })
export const CheckedRequestSchema = Type.Object({ ...fields, input: Type.Unknown() })

export type EmbeddingFields = Static<typeof CheckedRequestSchema>

export const EmbeddingReplySchema = Type.Object({
  object: Type.Literal('list'),
  data: Type.Array(
    Type.Object({
      object: Type.Literal('embedding'),
      index: Type.Integer({ minimum: 0 }),
      embedding: Type.Union([Type.Array(Type.Number()), Type.String()]),
    }),
  ),
  model: Type.String(),
  usage: Type.Object({ prompt_tokens: Type.Integer(), total_tokens: Type.Integer() }),
})
