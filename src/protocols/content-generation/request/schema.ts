import Type, { type Static } from 'typebox'
import { optionalOrNull } from '../../parameter-table.ts'
import { MAX_MESSAGES, MAX_TOOLS } from '../../request-limits.ts'
import { PARAMETERS } from './parameters.ts'

const NonEmptyString = Type.String({ minLength: 1 })
const AnyObject = Type.Unsafe<Readonly<Record<string, unknown>>>(Type.Object({}))

const InlineData = Type.Object({ mimeType: NonEmptyString, data: Type.String() })
const FileData = Type.Object({ mimeType: optionalOrNull(Type.String()), fileUri: NonEmptyString })
const media = { inlineData: optionalOrNull(InlineData), fileData: optionalOrNull(FileData) }

const FunctionCall = Type.Object({
  id: optionalOrNull(Type.String()),
  name: NonEmptyString,
  args: optionalOrNull(AnyObject),
})
const FunctionResponse = Type.Object({
  id: optionalOrNull(Type.String()),
  name: NonEmptyString,
  response: optionalOrNull(AnyObject),
  parts: optionalOrNull(Type.Array(Type.Object(media))),
})

const Part = Type.Object({
  text: optionalOrNull(Type.String()),
  thought: optionalOrNull(Type.Boolean()),
  thoughtSignature: optionalOrNull(Type.String()),
  ...media,
  functionCall: optionalOrNull(FunctionCall),
  functionResponse: optionalOrNull(FunctionResponse),
  executableCode: optionalOrNull(AnyObject),
  codeExecutionResult: optionalOrNull(AnyObject),
  toolCall: optionalOrNull(AnyObject),
  toolResponse: optionalOrNull(AnyObject),
  videoMetadata: optionalOrNull(AnyObject),
  mediaResolution: optionalOrNull(AnyObject),
})

const Content = Type.Object({
  role: optionalOrNull(Type.Enum(['user', 'model', 'function'])),
  parts: optionalOrNull(Type.Array(Part)),
})
// Clients send all kinds of roles here, and the vendor's service ignores them.
const SystemInstruction = Type.Object({
  role: optionalOrNull(Type.String()),
  parts: optionalOrNull(Type.Array(Part)),
})

const FunctionDeclaration = Type.Object({
  name: NonEmptyString,
  description: optionalOrNull(Type.String()),
  parameters: optionalOrNull(AnyObject),
  parametersJsonSchema: optionalOrNull(AnyObject),
  response: optionalOrNull(AnyObject),
  responseJsonSchema: optionalOrNull(AnyObject),
})
const Tool = Type.Object({
  functionDeclarations: optionalOrNull(Type.Array(FunctionDeclaration, { maxItems: MAX_TOOLS })),
  googleSearch: optionalOrNull(AnyObject),
  googleSearchRetrieval: optionalOrNull(AnyObject),
  urlContext: optionalOrNull(AnyObject),
  codeExecution: optionalOrNull(AnyObject),
  computerUse: optionalOrNull(AnyObject),
  fileSearch: optionalOrNull(AnyObject),
  googleMaps: optionalOrNull(AnyObject),
})
const ToolConfig = Type.Object({
  functionCallingConfig: optionalOrNull(
    Type.Object({
      mode: optionalOrNull(Type.String()),
      allowedFunctionNames: optionalOrNull(Type.Array(NonEmptyString, { maxItems: MAX_TOOLS })),
    }),
  ),
  retrievalConfig: optionalOrNull(AnyObject),
  includeServerSideToolInvocations: optionalOrNull(Type.Boolean()),
})

const GenerationConfig = Type.Object({
  ...PARAMETERS.members,
  responseMimeType: optionalOrNull(Type.String()),
  responseSchema: optionalOrNull(AnyObject),
  responseJsonSchema: optionalOrNull(AnyObject),
  responseModalities: optionalOrNull(Type.Array(Type.String())),
  mediaResolution: optionalOrNull(Type.String()),
  speechConfig: optionalOrNull(AnyObject),
  imageConfig: optionalOrNull(AnyObject),
})

const generation = {
  systemInstruction: optionalOrNull(Type.Union([Type.String(), SystemInstruction])),
  tools: optionalOrNull(Type.Array(Tool, { maxItems: MAX_TOOLS })),
  toolConfig: optionalOrNull(ToolConfig),
  generationConfig: optionalOrNull(GenerationConfig),
  safetySettings: optionalOrNull(Type.Array(AnyObject)),
  cachedContent: optionalOrNull(Type.String()),
  labels: optionalOrNull(AnyObject),
  serviceTier: optionalOrNull(Type.String()),
  store: optionalOrNull(Type.Boolean()),
  continuationToken: optionalOrNull(Type.String()),
}

/**
 * A request for content. Fields that are not named here are allowed everywhere and passed on. Null means absent
 * everywhere, as in the vendor's protobuf JSON.
 */
export const GenerateRequestSchema = Type.Object({
  contents: Type.Array(Content, { minItems: 1, maxItems: MAX_MESSAGES }),
  ...generation,
})

export const CountRequestSchema = Type.Object({
  contents: optionalOrNull(
    Type.Array(Content, {
      minItems: 1,
      maxItems: MAX_MESSAGES,
      description: 'Send either this or `generateContentRequest`.',
    }),
  ),
  generateContentRequest: optionalOrNull(
    Type.Object({
      model: optionalOrNull(Type.String()),
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
