import type {
  Conversation,
  Extras,
  OutputFormat,
  RequestSettings,
} from '../../../conversation/conversation.ts'
import { GatewayError } from '../../../errors/gateway-error.ts'
import { FORMAT } from '../parts.ts'
import { decodeInstructions, decodeTurns } from './decode-contents.ts'
import { decodeSchema } from './decode-schema.ts'
import { PARAMETERS } from './parameters.ts'
import type { GenerateRequest, WireGenerationConfig } from './schema.ts'
import { decodeToolChoice, decodeTools } from './tools.ts'

/** The parts of a request that are in its path: the model, and whether the answer is streamed. */
interface RequestLine {
  readonly model: string
  readonly stream: boolean
}

export function decodeRequest(request: GenerateRequest, { model, stream }: RequestLine): Conversation {
  refuseForeignResources(request)
  const turns = decodeTurns(request.contents)
  if (turns.length === 0)
    throw new GatewayError('invalid_request', 'contents must have at least one part.', { param: 'contents' })
  return {
    ...decodeSettings(request),
    model,
    stream,
    instructions: decodeInstructions(request.systemInstruction),
    turns,
    tools: decodeTools(request.tools),
    toolChoice: decodeToolChoice(request.toolConfig),
    extras: decodeExtras(request),
  }
}

export function decodeSettings({ generationConfig }: GenerateRequest): RequestSettings {
  const config = generationConfig ?? {}
  return { ...PARAMETERS.decode(config), output: decodeOutput(config) }
}

/** Both refer to something that a supplier stores for one account. */
function refuseForeignResources({ cachedContent, continuationToken }: GenerateRequest): void {
  const param = cachedContent ? 'cachedContent' : continuationToken ? 'continuationToken' : null
  if (param === null) return
  const message = `${param} names something stored at another supplier than that of this model. Send the whole content instead.`
  throw new GatewayError('unsupported_parameter', message, { param })
}

function decodeOutput(config: WireGenerationConfig): OutputFormat {
  refuseOtherModalities(config)
  const schema = config.responseJsonSchema ?? config.responseSchema
  const mediaType = config.responseMimeType || (schema ? 'application/json' : 'text/plain')
  if (mediaType === 'text/plain') return { type: 'text' }
  if (mediaType !== 'application/json') throw refuseOutput('generationConfig.responseMimeType', mediaType)
  if (!schema) return { type: 'json' }
  return {
    type: 'schema',
    name: 'response',
    description: null,
    schema: decodeSchema(schema),
    strict: null,
  }
}

function refuseOtherModalities({ responseModalities }: WireGenerationConfig): void {
  const other = responseModalities?.find((modality) => modality.toUpperCase() !== 'TEXT')
  if (other !== undefined) throw refuseOutput('generationConfig.responseModalities', other)
}

const MAX_SHOWN_CHARACTERS = 64

function refuseOutput(param: string, wanted: string): GatewayError {
  const shown = JSON.stringify(wanted.slice(0, MAX_SHOWN_CHARACTERS))
  const message = `This model cannot answer with ${param} ${shown}. Ask for text or JSON, or choose another model.`
  return new GatewayError('unsupported_parameter', message, { param })
}

/** Fields that the conversation covers; all others are kept as extras. */
const DECODED: ReadonlySet<string> = new Set([
  'contents',
  'systemInstruction',
  'tools',
  'model',
  'toolConfig',
  'generationConfig',
])
const DECODED_CONFIG: ReadonlySet<string> = new Set([
  ...Object.keys(PARAMETERS.members),
  'responseMimeType',
  'responseSchema',
  'responseJsonSchema',
  'responseModalities',
])
const DECODED_TOOL_CONFIG: ReadonlySet<string> = new Set(['functionCallingConfig'])

function decodeExtras(request: GenerateRequest): Extras {
  const extras = {
    ...without(request, DECODED),
    ...within('generationConfig', without(request.generationConfig ?? {}, DECODED_CONFIG)),
    ...within('toolConfig', without(request.toolConfig ?? {}, DECODED_TOOL_CONFIG)),
  }
  return Object.keys(extras).length === 0 ? {} : { [FORMAT]: extras }
}

function without(value: object, names: ReadonlySet<string>): Record<string, unknown> {
  const kept = Object.entries(value).filter(([name, member]) => !names.has(name) && member !== null)
  return Object.fromEntries(kept)
}

/** Named by their whole place, so that a client is told which of them was left out. */
function within(place: string, members: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).map(([name, value]) => [`${place}.${name}`, value]))
}
