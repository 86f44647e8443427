import Type, { type Static, type TSchema } from 'typebox'
import { MAX_MESSAGES, MAX_STOP_CHARACTERS, MAX_TOOLS } from '../../request-limits.ts'

/** Suppliers count tokens in 32 bits; a larger limit would overflow the amount reserved for it. */
const MAX_TOKENS = 2 ** 31 - 1
const MAX_CANDIDATES = 8
/** The format itself allows five. */
export const MAX_STOPS = 5

// Null means absent everywhere, as in the vendor's protobuf JSON.
const OptionalOrNull = <Schema extends TSchema>(schema: Schema) =>
  Type.Optional(Type.Union([schema, Type.Null()]))
const NonEmptyString = Type.String({ minLength: 1 })
const StopSequence = Type.String({ minLength: 1, maxLength: MAX_STOP_CHARACTERS })
const AnyObject = Type.Unsafe<Readonly<Record<string, unknown>>>(Type.Object({}))

const InlineData = Type.Object({ mimeType: NonEmptyString, data: Type.String() })
const FileData = Type.Object({ mimeType: OptionalOrNull(Type.String()), fileUri: NonEmptyString })
const media = { inlineData: OptionalOrNull(InlineData), fileData: OptionalOrNull(FileData) }

const FunctionCall = Type.Object({
  id: OptionalOrNull(Type.String()),
  name: NonEmptyString,
  args: OptionalOrNull(AnyObject),
})
const FunctionResponse = Type.Object({
  id: OptionalOrNull(Type.String()),
  name: NonEmptyString,
  response: OptionalOrNull(AnyObject),
  parts: OptionalOrNull(Type.Array(Type.Object(media))),
})

const Part = Type.Object({
  text: OptionalOrNull(Type.String()),
  thought: OptionalOrNull(Type.Boolean()),
  thoughtSignature: OptionalOrNull(Type.String()),
  ...media,
  functionCall: OptionalOrNull(FunctionCall),
  functionResponse: OptionalOrNull(FunctionResponse),
  executableCode: OptionalOrNull(AnyObject),
  codeExecutionResult: OptionalOrNull(AnyObject),
  toolCall: OptionalOrNull(AnyObject),
  toolResponse: OptionalOrNull(AnyObject),
  videoMetadata: OptionalOrNull(AnyObject),
  mediaResolution: OptionalOrNull(AnyObject),
})

const Content = Type.Object({
  role: OptionalOrNull(Type.Enum(['user', 'model', 'function'])),
  parts: OptionalOrNull(Type.Array(Part)),
})
// Clients send all kinds of roles here, and the vendor's service ignores them.
const SystemInstruction = Type.Object({
  role: OptionalOrNull(Type.String()),
  parts: OptionalOrNull(Type.Array(Part)),
})

const FunctionDeclaration = Type.Object({
  name: NonEmptyString,
  description: OptionalOrNull(Type.String()),
  parameters: OptionalOrNull(AnyObject),
  parametersJsonSchema: OptionalOrNull(AnyObject),
  response: OptionalOrNull(AnyObject),
  responseJsonSchema: OptionalOrNull(AnyObject),
})
const Tool = Type.Object({
  functionDeclarations: OptionalOrNull(Type.Array(FunctionDeclaration, { maxItems: MAX_TOOLS })),
  googleSearch: OptionalOrNull(AnyObject),
  googleSearchRetrieval: OptionalOrNull(AnyObject),
  urlContext: OptionalOrNull(AnyObject),
  codeExecution: OptionalOrNull(AnyObject),
  computerUse: OptionalOrNull(AnyObject),
  fileSearch: OptionalOrNull(AnyObject),
  googleMaps: OptionalOrNull(AnyObject),
})
const ToolConfig = Type.Object({
  functionCallingConfig: OptionalOrNull(
    Type.Object({
      mode: OptionalOrNull(Type.String()),
      allowedFunctionNames: OptionalOrNull(Type.Array(NonEmptyString, { maxItems: MAX_TOOLS })),
    }),
  ),
  retrievalConfig: OptionalOrNull(AnyObject),
  includeServerSideToolInvocations: OptionalOrNull(Type.Boolean()),
})

const ThinkingConfig = Type.Object({
  includeThoughts: OptionalOrNull(Type.Boolean()),
  // -1: the model decides.
  thinkingBudget: OptionalOrNull(Type.Integer({ minimum: -1, maximum: MAX_TOKENS })),
  thinkingLevel: OptionalOrNull(Type.String()),
})
const GenerationConfig = Type.Object({
  temperature: OptionalOrNull(Type.Number({ minimum: 0, maximum: 2 })),
  topP: OptionalOrNull(Type.Number({ minimum: 0, maximum: 1 })),
  topK: OptionalOrNull(Type.Integer({ minimum: 1, maximum: MAX_TOKENS })),
  maxOutputTokens: OptionalOrNull(Type.Integer({ minimum: 1, maximum: MAX_TOKENS })),
  stopSequences: OptionalOrNull(Type.Array(StopSequence, { minItems: 0, maxItems: MAX_STOPS })),
  candidateCount: OptionalOrNull(Type.Integer({ minimum: 1, maximum: MAX_CANDIDATES })),
  seed: OptionalOrNull(Type.Integer()),
  presencePenalty: OptionalOrNull(Type.Number({ minimum: -2, maximum: 2 })),
  frequencyPenalty: OptionalOrNull(Type.Number({ minimum: -2, maximum: 2 })),
  responseLogprobs: OptionalOrNull(Type.Boolean()),
  logprobs: OptionalOrNull(Type.Integer({ minimum: 0, maximum: 20 })),
  responseMimeType: OptionalOrNull(Type.String()),
  responseSchema: OptionalOrNull(AnyObject),
  responseJsonSchema: OptionalOrNull(AnyObject),
  responseModalities: OptionalOrNull(Type.Array(Type.String())),
  thinkingConfig: OptionalOrNull(ThinkingConfig),
  mediaResolution: OptionalOrNull(Type.String()),
  speechConfig: OptionalOrNull(AnyObject),
  imageConfig: OptionalOrNull(AnyObject),
})

const generation = {
  systemInstruction: OptionalOrNull(Type.Union([Type.String(), SystemInstruction])),
  tools: OptionalOrNull(Type.Array(Tool, { maxItems: MAX_TOOLS })),
  toolConfig: OptionalOrNull(ToolConfig),
  generationConfig: OptionalOrNull(GenerationConfig),
  safetySettings: OptionalOrNull(Type.Array(AnyObject)),
  cachedContent: OptionalOrNull(Type.String()),
  labels: OptionalOrNull(AnyObject),
  serviceTier: OptionalOrNull(Type.String()),
  store: OptionalOrNull(Type.Boolean()),
  continuationToken: OptionalOrNull(Type.String()),
}

/** A request for content. Fields that are not named here are allowed everywhere and passed on. */
export const GenerateRequestSchema = Type.Object({
  contents: Type.Array(Content, { minItems: 1, maxItems: MAX_MESSAGES }),
  ...generation,
})

export const CountRequestSchema = Type.Object({
  contents: OptionalOrNull(
    Type.Array(Content, {
      minItems: 1,
      maxItems: MAX_MESSAGES,
      description: 'Send either this or `generateContentRequest`.',
    }),
  ),
  generateContentRequest: OptionalOrNull(
    Type.Object({
      model: OptionalOrNull(Type.String()),
      contents: Type.Array(Content, { minItems: 1, maxItems: MAX_MESSAGES }),
      ...generation,
    }),
  ),
  ...generation,
})

export type GenerateRequest = Static<typeof GenerateRequestSchema>
export type CountBody = Static<typeof CountRequestSchema>
export type WireContent = Static<typeof Content>
export type WirePart = Static<typeof Part>
export type WireMedia = Pick<WirePart, 'inlineData' | 'fileData'>
export type WireFunctionCall = Static<typeof FunctionCall>
export type WireFunctionResponse = Static<typeof FunctionResponse>
export type WireTool = Static<typeof Tool>
export type WireFunctionDeclaration = Static<typeof FunctionDeclaration>
export type WireToolConfig = Static<typeof ToolConfig>
export type WireGenerationConfig = Static<typeof GenerationConfig>
export type WireThinkingConfig = Static<typeof ThinkingConfig>
