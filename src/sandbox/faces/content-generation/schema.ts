import { type Static, Type } from 'typebox'
import { isObject } from '../../../wire/json-values.ts'
import { SandboxError } from '../../sandbox-error.ts'
import {
  Anything,
  Closed,
  createCheck,
  Literals,
  type Place,
  type ShapeProblem,
  spellPlace,
} from '../shape.ts'

// Every definition of this service is closed: a field it does not know is an error.
const Blob = Closed({ mimeType: Type.String(), data: Type.String(), displayName: Anything })
const FileData = Closed({
  mimeType: Type.Optional(Type.String()),
  fileUri: Type.String(),
  displayName: Anything,
})

const FunctionCall = Closed({
  id: Type.Optional(Type.String()),
  name: Type.String(),
  args: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
})
const FunctionResponse = Closed({
  id: Type.Optional(Type.String()),
  name: Type.String({ minLength: 1 }),
  response: Type.Record(Type.String(), Type.Unknown()),
  parts: Type.Optional(
    Type.Array(Closed({ inlineData: Type.Optional(Blob), fileData: Type.Optional(FileData) })),
  ),
  willContinue: Anything,
  scheduling: Anything,
})

const Part = Closed({
  text: Type.Optional(Type.String()),
  inlineData: Type.Optional(Blob),
  fileData: Type.Optional(FileData),
  functionCall: Type.Optional(FunctionCall),
  functionResponse: Type.Optional(FunctionResponse),
  executableCode: Anything,
  codeExecutionResult: Anything,
  toolCall: Anything,
  toolResponse: Anything,
  thought: Type.Optional(Type.Boolean()),
  thoughtSignature: Type.Optional(Type.String()),
  mediaResolution: Anything,
  videoMetadata: Anything,
  partMetadata: Anything,
})

const Content = Closed({
  role: Type.Optional(Literals('user', 'model', 'function')),
  parts: Type.Optional(Type.Array(Part)),
})

/** The service reads only its words, so clients may call the role what they like. */
const Instruction = Closed({ role: Type.Optional(Type.String()), parts: Type.Optional(Type.Array(Part)) })

const FunctionDeclaration = Closed({
  name: Type.String({ pattern: '^[A-Za-z_][A-Za-z0-9_.:-]{0,127}$' }),
  description: Type.Optional(Type.String()),
  parameters: Anything,
  parametersJsonSchema: Anything,
  response: Anything,
  responseJsonSchema: Anything,
  behavior: Anything,
})

const Tool = Closed({
  functionDeclarations: Type.Optional(Type.Array(FunctionDeclaration)),
  googleSearch: Anything,
  googleSearchRetrieval: Anything,
  urlContext: Anything,
  codeExecution: Anything,
  computerUse: Anything,
  fileSearch: Anything,
  googleMaps: Anything,
  mcpServers: Anything,
})

const ToolConfig = Closed({
  functionCallingConfig: Type.Optional(
    Closed({
      mode: Type.Optional(Literals('MODE_UNSPECIFIED', 'AUTO', 'ANY', 'NONE', 'VALIDATED')),
      allowedFunctionNames: Type.Optional(Type.Array(Type.String())),
    }),
  ),
  retrievalConfig: Anything,
  includeServerSideToolInvocations: Anything,
})

const ThinkingConfig = Closed({
  includeThoughts: Type.Optional(Type.Boolean()),
  thinkingBudget: Type.Optional(Type.Integer({ minimum: -1 })),
  thinkingLevel: Type.Optional(
    Literals(
      'THINKING_LEVEL_UNSPECIFIED',
      'MINIMAL',
      'LOW',
      'MEDIUM',
      'HIGH',
      'minimal',
      'low',
      'medium',
      'high',
    ),
  ),
})

const ImageConfig = Closed({
  aspectRatio: Type.Optional(Type.String()),
  imageSize: Type.Optional(Literals('1K')),
})

const GenerationConfig = Closed({
  candidateCount: Type.Optional(Type.Integer({ minimum: 1, maximum: 8 })),
  stopSequences: Type.Optional(Type.Array(Type.String(), { maxItems: 5 })),
  maxOutputTokens: Type.Optional(Type.Integer({ minimum: 1 })),
  temperature: Type.Optional(Type.Number({ minimum: 0, maximum: 2 })),
  topP: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
  topK: Type.Optional(Type.Number({ minimum: 0 })),
  responseMimeType: Type.Optional(Literals('text/plain', 'application/json', 'text/x.enum')),
  responseSchema: Anything,
  responseJsonSchema: Anything,
  thinkingConfig: Type.Optional(ThinkingConfig),
  seed: Type.Optional(Type.Integer()),
  presencePenalty: Type.Optional(Type.Number()),
  frequencyPenalty: Type.Optional(Type.Number()),
  responseLogprobs: Anything,
  logprobs: Anything,
  responseFormat: Anything,
  responseModalities: Type.Optional(
    Type.Array(Literals('MODALITY_UNSPECIFIED', 'TEXT', 'IMAGE', 'AUDIO', 'VIDEO')),
  ),
  enableEnhancedCivicAnswers: Anything,
  imageConfig: Type.Optional(ImageConfig),
  speechConfig: Anything,
  mediaResolution: Anything,
})

const GenerateRequest = Closed({
  model: Type.Optional(Type.String()),
  contents: Type.Array(Content, { minItems: 1 }),
  systemInstruction: Type.Optional(Instruction),
  generationConfig: Type.Optional(GenerationConfig),
  tools: Type.Optional(Type.Array(Tool)),
  toolConfig: Type.Optional(ToolConfig),
  safetySettings: Anything,
  cachedContent: Anything,
  labels: Anything,
  serviceTier: Anything,
  store: Anything,
  continuationToken: Anything,
})

const CountRequest = Closed({
  contents: Type.Optional(Type.Array(Content, { minItems: 1 })),
  generateContentRequest: Type.Optional(GenerateRequest),
})

export type GenerateRequest = Static<typeof GenerateRequest>
export type CountRequest = Static<typeof CountRequest>
export type WireContent = Static<typeof Content>
export type WirePart = Static<typeof Part>
export type FunctionDeclaration = Static<typeof FunctionDeclaration>

const checkGenerateFields = createCheck(GenerateRequest, refuseShape)
const checkCountFields = createCheck(CountRequest, refuseShape)

export function checkGenerate(body: unknown): GenerateRequest {
  return checkGenerateFields(unifyNames(body))
}

export function checkCount(body: unknown): GenerateRequest {
  const { contents, generateContentRequest } = checkCountFields(unifyNames(body))
  if ((contents === undefined) === (generateContentRequest === undefined))
    throw refuse('Exactly one of contents and generate_content_request must be set.', 'contents')
  return generateContentRequest ?? { contents: contents ?? [] }
}

function refuseShape(problem: ShapeProblem): SandboxError {
  const place = spell(problem.place)
  switch (problem.type) {
    case 'unknown': {
      const at = place === '' ? '' : ` at '${place}'`
      const message = `Invalid JSON payload received. Unknown name "${problem.name}"${at}: Cannot find field.`
      return refuse(message, spell([...problem.place, problem.name]))
    }
    case 'missing': {
      const field = spell([...problem.place, problem.name])
      return refuse(`* GenerateContentRequest.${field}: ${field} is not specified`, field)
    }
    case 'wrong':
      return refuse(`Invalid value at '${place}': ${problem.message}`, place)
  }
}

function spell(place: Place): string {
  return spellPlace(place.map((step) => (typeof step === 'string' ? toSnakeCase(step) : step)))
}

export function refuse(message: string, field: string): SandboxError {
  return new SandboxError('bad-request', message, { field })
}

/** Members below these names belong to the caller and keep their names. */
const OPAQUE = new Set([
  'args',
  'response',
  'labels',
  'parameters',
  'parametersJsonSchema',
  'responseSchema',
  'responseJsonSchema',
])

/** This format takes every field in camel case and in snake case; the sandbox reads only the first. */
function unifyNames(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(unifyNames)
  if (!isObject(value)) return value
  const entries = Object.entries(value).map(([given, field]) => {
    const name = toCamelCase(given)
    return [name, OPAQUE.has(name) ? field : unifyNames(field)] as const
  })
  return Object.fromEntries(entries)
}

export function toCamelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

/** The service names fields in its errors as its own definitions do. */
function toSnakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}
