import Type, { type Static, type TSchema } from 'typebox'
import { MAX_DIMENSIONS } from '../../embedding-side.ts'

const OptionalOrNull = <Schema extends TSchema>(schema: Schema) =>
  Type.Optional(Type.Union([schema, Type.Null()]))

const Content = Type.Object({
  parts: Type.Array(Type.Object({ text: OptionalOrNull(Type.String()) }), { minItems: 1 }),
})

const settings = {
  taskType: OptionalOrNull(
    Type.String({ description: 'What the text is, such as `RETRIEVAL_QUERY` or `RETRIEVAL_DOCUMENT`.' }),
  ),
  title: OptionalOrNull(Type.String({ description: 'The title of a document.' })),
  outputDimensionality: OptionalOrNull(
    Type.Integer({
      minimum: 1,
      maximum: MAX_DIMENSIONS,
      description: 'The length of the vector. A supplier that cannot is not used.',
    }),
  ),
}

/** The model is in the path; a name in the body is ignored. */
export const EmbedRequestSchema = Type.Object({
  content: Content,
  ...settings,
  embedContentConfig: OptionalOrNull(Type.Object(settings)),
})

export const BatchEmbedRequestSchema = Type.Object({ requests: Type.Array(EmbedRequestSchema) })

export type WireEmbedRequest = Static<typeof EmbedRequestSchema>

const Embedding = Type.Object({ values: Type.Array(Type.Number()) })
const UsageMetadata = Type.Optional(Type.Object({ promptTokenCount: Type.Integer() }))

export const EmbedReplySchema = Type.Object({ embedding: Embedding, usageMetadata: UsageMetadata })
export const BatchEmbedReplySchema = Type.Object({
  embeddings: Type.Array(Embedding),
  usageMetadata: UsageMetadata,
})
