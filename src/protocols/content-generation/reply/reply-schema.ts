import Type, { type TSchema } from 'typebox'

const OrNull = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()])
const Count = Type.Integer({ minimum: 0 })

const Modalities = Type.Optional(
  Type.Array(Type.Object({ modality: Type.String(), tokenCount: Type.Optional(Count) }), {
    description: 'Tokens by kind: `TEXT`, `IMAGE`, `AUDIO`, `VIDEO` or `DOCUMENT`.',
  }),
)

const Part = Type.Object({
  text: Type.Optional(Type.String()),
  thought: Type.Optional(Type.Boolean({ description: 'The text is a thought, not the answer.' })),
  thoughtSignature: Type.Optional(Type.String({ description: 'Send it back with the part, unchanged.' })),
  functionCall: Type.Optional(
    Type.Object({
      id: Type.Optional(Type.String()),
      name: Type.String(),
      args: Type.Optional(Type.Object({})),
    }),
  ),
  inlineData: Type.Optional(Type.Object({ mimeType: Type.String(), data: Type.String() })),
})

/** A whole reply or one chunk of a stream, for the API document. Suppliers may add fields. */
export const GenerateReplySchema = Type.Object({
  candidates: Type.Optional(
    Type.Array(
      Type.Object({
        index: Type.Optional(Count),
        content: Type.Optional(
          Type.Object({
            role: Type.Optional(Type.Literal('model')),
            parts: Type.Optional(Type.Array(Part)),
          }),
        ),
        finishReason: Type.Optional(
          Type.String({
            description: '`STOP`, `MAX_TOKENS`, `SAFETY`, `MALFORMED_FUNCTION_CALL` and others.',
          }),
        ),
        finishMessage: Type.Optional(Type.String()),
        safetyRatings: Type.Optional(
          Type.Array(Type.Object({ category: Type.String(), probability: Type.String() })),
        ),
      }),
    ),
  ),
  usageMetadata: Type.Optional(
    Type.Object({
      promptTokenCount: Count,
      candidatesTokenCount: Type.Optional(Count),
      thoughtsTokenCount: Type.Optional(Count),
      cachedContentTokenCount: Type.Optional(Count),
      totalTokenCount: Count,
      promptTokensDetails: Modalities,
      cacheTokensDetails: Modalities,
      candidatesTokensDetails: Modalities,
    }),
  ),
  modelVersion: Type.Optional(Type.String()),
  responseId: Type.Optional(Type.String()),
})

const Detail = Type.Object({ modality: Type.Enum(['TEXT', 'IMAGE']), tokenCount: Count })

export const CountReplySchema = Type.Object({
  totalTokens: Type.Integer({ minimum: 0, description: 'An estimate of the gateway.' }),
  cachedContentTokenCount: OrNull(Count),
  promptTokensDetails: Type.Array(Detail),
  cacheTokensDetails: Type.Array(Detail),
})

export const GenerationModelSchema = Type.Object({
  name: Type.String({ description: '`models/` and the model id.' }),
  version: Type.String(),
  displayName: Type.String(),
  description: Type.String(),
  inputTokenLimit: Type.Optional(Count),
  outputTokenLimit: Type.Optional(Count),
  supportedGenerationMethods: Type.Array(Type.String()),
})

export const GenerationModelListSchema = Type.Object({
  models: Type.Array(GenerationModelSchema),
  nextPageToken: Type.Optional(Type.String({ description: 'Present when there are more.' })),
})
