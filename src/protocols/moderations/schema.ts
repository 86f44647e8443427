import Type from 'typebox'

/** The gateway's own limit: no vendor documents how many inputs a request may have. */
export const MAX_INPUTS = 10_000

const DEFAULT_NOTE =
  'A model id from `GET /v1/models`. By default `omni-moderation-latest`, or the first model for moderation that the API key may use.'

const Part = Type.Union([
  Type.Object({ type: Type.Literal('text'), text: Type.String() }),
  Type.Object({ type: Type.Literal('image_url'), image_url: Type.Object({ url: Type.String() }) }),
])

const model = Type.Optional(
  Type.Union([Type.String({ minLength: 1, description: DEFAULT_NOTE }), Type.Null()]),
)

export const ModerationRequestSchema = Type.Object({
  model,
  input: Type.Union([Type.String(), Type.Array(Type.String()), Type.Array(Part)], {
    description: 'A text, a list of texts, or a list of texts and images that are judged together.',
  }),
})

/** The entries of `input` are checked one by one. */
export const ModerationBodySchema = Type.Object({
  model,
  input: Type.Union([Type.String(), Type.Array(Type.Unknown(), { minItems: 1 })]),
})

const Verdict = Type.Object({
  flagged: Type.Boolean(),
  categories: Type.Object({}),
  category_scores: Type.Object({}),
})

export const ModerationReplySchema = Type.Object({
  id: Type.String(),
  model: Type.String(),
  results: Type.Array(Verdict),
})
