import { asText } from '../../../wire/json-values.ts'
import type { AnswerShape, Ask, SeenImage, ThinkingWish, Turn } from '../../performance/ask.ts'
import { LINKED_IMAGE, readImageData } from '../image.ts'
import { checkOrder, mergeContents, type Run } from './history.ts'
import { type GenerateRequest, refuse, type WirePart } from './schema.ts'
import { readSchema } from './schema-keywords.ts'
import { checkSignatures, type SignatureRules } from './signatures.ts'
import { decodeToolChoice, decodeTools } from './tools.ts'

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

/** Responses stand before what else the user says, and each is a turn of its own. */
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
