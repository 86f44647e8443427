import { asText } from '../../../wire/json-values.ts'
import type { ModelTraits } from '../../actors/actor.ts'
import type { ImageSize } from '../../images/raster.ts'
import type {
  AnswerShape,
  Ask,
  ImageWish,
  SeenImage,
  ThinkingWish,
  Tool,
  ToolChoice,
  Turn,
} from '../../performance/ask.ts'
import { LINKED_IMAGE, readImageData } from '../face.ts'
import { checkOrder, checkSignatures, mergeContents, type Run, type SignatureRules } from './history.ts'
import { type FunctionDeclaration, type GenerateRequest, refuse, type WirePart } from './schema.ts'
import { readSchema } from './schema-keywords.ts'

export function decodeRequest(request: GenerateRequest, rules: SignatureRules): Ask {
  const runs = mergeContents(request.contents)
  checkOrder(runs)
  checkSignatures(runs, rules)
  const config = request.generationConfig
  return {
    model: rules.model,
    instructions: (request.systemInstruction?.parts ?? []).flatMap((part) => asText(part.text) ?? []),
    turns: runs.flatMap(decodeRun),
    tools: decodeTools(request),
    toolChoice: decodeToolChoice(request),
    // This format has no way to ask for one call at a time.
    parallelTools: true,
    thinking: decodeThinking(config?.thinkingConfig),
    maxOutputTokens: config?.maxOutputTokens ?? null,
    stopSequences: config?.stopSequences ?? [],
    choices: config?.candidateCount ?? 1,
    shape: decodeShape(config),
  }
}

/** Function responses come before the user's other parts, each as a separate turn. */
function decodeRun({ role, parts }: Run): readonly Turn[] {
  const results = parts.flatMap(({ functionResponse }) =>
    functionResponse === undefined ? [] : [decodeResponse(functionResponse)],
  )
  const rest = parts.filter(({ functionResponse }) => functionResponse === undefined)
  if (rest.length === 0) return results
  const said: Turn = {
    role: role === 'model' ? 'assistant' : 'user',
    text: readText(rest),
    images: rest.flatMap(readImage),
    toolName: null,
  }
  return [...results, said]
}

function decodeResponse({ name, response, parts }: NonNullable<WirePart['functionResponse']>): Turn {
  const key = wordsKey(response)
  const words = key === null ? undefined : response[key]
  const isWrapped = typeof words === 'string'
  return {
    role: 'tool',
    text: isWrapped ? words : JSON.stringify(response),
    images: (parts ?? []).flatMap(readImage),
    toolName: name,
    isError: isWrapped && key === 'error',
  }
}

/** Clients must send an object, and where a tool gave only words they have a few customs of wrapping them. */
function wordsKey(response: Readonly<Record<string, unknown>>): string | null {
  const [key, ...others] = Object.keys(response).filter((name) => name !== 'name')
  if (key === undefined || others.length > 0) return null
  const wrappers = 'name' in response ? ['content'] : ['output', 'result', 'error']
  return wrappers.includes(key) ? key : null
}

// The calls of earlier turns are part of the prompt and cost tokens like any other text; its thoughts are not.
function readText(parts: readonly WirePart[]): string {
  return parts
    .flatMap(({ text, thought, functionCall }) => {
      if (functionCall !== undefined) {
        return [JSON.stringify({ name: functionCall.name, args: functionCall.args ?? {} })]
      }
      return text === undefined || thought === true ? [] : [text]
    })
    .join('')
}

function readImage({
  inlineData,
  fileData,
}: Pick<WirePart, 'inlineData' | 'fileData'>): readonly SeenImage[] {
  if (fileData !== undefined) return [LINKED_IMAGE]
  return inlineData === undefined ? [] : [readImageData(inlineData.mimeType, inlineData.data)]
}

type GenerationConfig = GenerateRequest['generationConfig']

function decodeThinking(config: NonNullable<GenerationConfig>['thinkingConfig']): ThinkingWish {
  if (config?.thinkingBudget !== undefined && config.thinkingLevel !== undefined) {
    const message = 'You can only set only one of thinking budget and thinking level.'
    throw refuse(message, 'generation_config.thinking_config')
  }
  if (config?.thinkingBudget === 0) return 'declined'
  return config === undefined ? 'unsaid' : 'asked'
}

function decodeShape(config: GenerationConfig): AnswerShape {
  const { responseSchema, responseJsonSchema, responseMimeType } = config ?? {}
  const place = 'generation_config'
  if (responseSchema !== undefined && responseJsonSchema !== undefined)
    throw refuse('Only one of response_schema and response_json_schema can be set.', place)
  const hasSchema = responseSchema !== undefined || responseJsonSchema !== undefined
  if (hasSchema && (responseMimeType ?? 'text/plain') === 'text/plain') {
    const message = `* GenerateContentRequest.${place}.response_schema: response_mime_type must be application/json.`
    throw refuse(message, place)
  }
  if (responseSchema !== undefined)
    return { type: 'json-schema', schema: readSchema(responseSchema, 'open-api', `${place}.response_schema`) }
  if (responseJsonSchema !== undefined) {
    const schema = readSchema(responseJsonSchema, 'json-schema', `${place}.response_json_schema`)
    return { type: 'json-schema', schema }
  }
  return responseMimeType === 'application/json' ? { type: 'json-object' } : { type: 'text' }
}

/** The tools the model may use: the declared ones, or those of them that the caller allows. */
function decodeTools({ tools, toolConfig }: GenerateRequest): readonly Tool[] {
  const declared = (tools ?? []).flatMap((tool, index) =>
    (tool.functionDeclarations ?? []).map((declaration, position) =>
      decodeTool(declaration, `tools[${index}].function_declarations[${position}]`),
    ),
  )
  const allowed = new Set(toolConfig?.functionCallingConfig?.allowedFunctionNames)
  return allowed.size === 0 ? declared : declared.filter(({ name }) => allowed.has(name))
}

function decodeTool(declaration: FunctionDeclaration, place: string): Tool {
  const { name, parameters, parametersJsonSchema } = declaration
  if (parameters !== undefined && parametersJsonSchema !== undefined)
    throw refuse(`${place}: only one of parameters and parameters_json_schema can be set.`, place)
  const schema =
    parametersJsonSchema === undefined
      ? readSchema(parameters ?? { type: 'object' }, 'open-api', `${place}.parameters`)
      : readSchema(parametersJsonSchema, 'any-json-schema', `${place}.parameters_json_schema`)
  return { name, input: { type: 'json', schema } }
}

function decodeToolChoice({ toolConfig, tools }: GenerateRequest): ToolChoice {
  const config = toolConfig?.functionCallingConfig
  const names = config?.allowedFunctionNames ?? []
  const mode = config?.mode ?? 'AUTO'
  const place = 'tool_config.function_calling_config'
  if (names.length > 0 && mode !== 'ANY' && mode !== 'VALIDATED')
    throw refuse('Allowed function names are only valid when the mode is ANY or VALIDATED.', place)
  if (mode === 'NONE') return { type: 'none' }
  if (mode !== 'ANY') return { type: 'auto' }
  if ((tools ?? []).every((tool) => (tool.functionDeclarations ?? []).length === 0))
    throw refuse('Function calling mode is ANY but no function declarations are provided.', place)
  return names.length === 1 && names[0] !== undefined
    ? { type: 'named', name: names[0] }
    : { type: 'required' }
}

/** The sizes the service makes, all of about the same area. */
const SIZES: Readonly<Record<string, ImageSize>> = {
  '1:1': { width: 1024, height: 1024 },
  '2:3': { width: 832, height: 1248 },
  '3:2': { width: 1248, height: 832 },
  '3:4': { width: 864, height: 1184 },
  '4:3': { width: 1184, height: 864 },
  '4:5': { width: 896, height: 1152 },
  '5:4': { width: 1152, height: 896 },
  '9:16': { width: 768, height: 1344 },
  '16:9': { width: 1344, height: 768 },
  '21:9': { width: 1536, height: 672 },
}

/** The image the answer is to hold; null when only words are wanted. */
export function decodeModalities(config: GenerationConfig, { paints }: ModelTraits): ImageWish | null {
  const wanted = (config?.responseModalities ?? []).filter((modality) => modality !== 'MODALITY_UNSPECIFIED')
  const possible = paints === undefined ? ['TEXT'] : ['TEXT', 'IMAGE']
  if (!wanted.every((modality) => possible.includes(modality))) {
    const list = wanted.map((modality) => modality.toLowerCase()).join(',')
    const message = `The model does not support the requested response modalities: ${list}`
    throw refuse(message, 'generation_config.response_modalities')
  }
  if (!wanted.includes('IMAGE')) return null
  return { withWords: wanted.includes('TEXT'), size: decodeRatio(config?.imageConfig?.aspectRatio) }
}

function decodeRatio(ratio: string | undefined): ImageSize | null {
  if (ratio === undefined) return null
  const size = SIZES[ratio]
  if (size !== undefined) return size
  const message = `aspect_ratio must be one of ${Object.keys(SIZES).join(', ')}.`
  throw refuse(message, 'generation_config.image_config.aspect_ratio')
}
