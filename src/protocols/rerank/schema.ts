import Type, { type Static, type TSchema } from 'typebox'
import { MODEL_NOTE } from '../contract-notes.ts'

const OptionalOrNull = <Schema extends TSchema>(schema: Schema) =>
  Type.Optional(Type.Union([schema, Type.Null()]))

/** No vendor takes more in one request. */
export const MAX_DOCUMENTS = 10_000
const MAX_RANK_FIELDS = 32

const documents = (item: TSchema) =>
  Type.Array(item, {
    minItems: 1,
    description: '1 to 10,000 documents. Some suppliers take at most 1,000.',
  })

const fields = {
  model: Type.String({ minLength: 1, description: MODEL_NOTE }),
  query: Type.String({ minLength: 1, description: 'What the documents are compared with.' }),
  top_n: OptionalOrNull(
    Type.Integer({ minimum: 1, description: 'How many of the best documents to return. All by default.' }),
  ),
  return_documents: OptionalOrNull(
    Type.Boolean({ description: 'Whether each result has its document. The gateway adds it itself.' }),
  ),
  max_tokens_per_doc: OptionalOrNull(
    Type.Integer({ minimum: 1, description: 'Longer documents are cut. Not every supplier supports it.' }),
  ),
  max_chunks_per_doc: OptionalOrNull(
    Type.Integer({ minimum: 1, description: 'Into how many parts a long document is split at most.' }),
  ),
  rank_fields: OptionalOrNull(
    Type.Array(Type.String({ minLength: 1 }), {
      minItems: 1,
      maxItems: MAX_RANK_FIELDS,
      description: 'The fields of documents that are objects, in the order in which they are ranked.',
    }),
  ),
}

const Document = Type.Union([Type.String(), Type.Object({})], {
  description: 'A text, or an object with a `text`.',
})

export const RerankRequestSchema = Type.Object({ ...fields, documents: documents(Document) })

/** Documents are checked one by one, because a message about one of thousands has to name it. */
export const RerankBodySchema = Type.Object({ ...fields, documents: documents(Type.Unknown()) })

export type RerankFields = Static<typeof RerankBodySchema>

const Result = Type.Object({
  index: Type.Integer({ minimum: 0, description: 'Of the document in the request.' }),
  relevance_score: Type.Number(),
  document: Type.Optional(Type.Object({ text: Type.Optional(Type.String()) })),
})

export const RerankReplySchema = Type.Object({
  id: Type.Optional(Type.String()),
  results: Type.Array(Result, { description: 'The best first.' }),
  meta: Type.Optional(Type.Object({})),
  usage: Type.Optional(Type.Object({})),
})
