import type {
  Conversation,
  Extras,
  OutputFormat,
  RequestSettings,
} from '../../../conversation/conversation.ts'
import type { JsonObject } from '../../../wire/json-values.ts'
import { FORMAT } from '../format.ts'
import { decodeTurns } from './decode-turns.ts'
import { isEffortDecoded, PARAMETERS } from './parameters.ts'
import type { MessagesRequest } from './schema.ts'
import { decodeToolChoice } from './tool-choice.ts'
import { decodeTool, decodeToolExtras } from './tools.ts'

/** Fields that the neutral model covers completely. */
const NEUTRAL_FIELDS: ReadonlySet<string> = new Set([
  ...Object.keys(PARAMETERS.members),
  'model',
  'messages',
  'stream',
  'tools',
  'system',
  'output_format',
  'thread',
])

export function decodeRequest(request: MessagesRequest): Conversation {
  return {
    ...decodeSettings(request),
    ...decodeTurns(request),
    model: request.model,
    stream: request.stream === true,
    tools: (request.tools ?? []).map(decodeTool),
    toolChoice: decodeToolChoice(request.tool_choice),
    extras: decodeExtras(request),
  }
}

export function decodeSettings(request: MessagesRequest): RequestSettings {
  return { ...PARAMETERS.decode(request), output: decodeOutput(request) }
}

function decodeOutput({ output_config, output_format }: MessagesRequest): OutputFormat {
  const format = output_config?.format ?? output_format
  if (format?.type !== 'json_schema' || !format.schema) return { type: 'text' }
  const schema = format.schema as JsonObject
  return { type: 'schema', name: 'response', description: null, schema, strict: null }
}

function decodeExtras(request: MessagesRequest): Extras {
  const own = {
    ...without(request, NEUTRAL_FIELDS),
    ...systemExtras(request),
    ...whenFilled('tools', decodeToolExtras(request.tools ?? [])),
    ...whenFilled('output_config', outputExtras(request)),
    ...whenFilled('metadata', without(request.metadata ?? {}, new Set(['user_id']))),
    ...(request.max_tokens === 0 && { max_tokens: 0 }),
    // The neutral model can express this mode only in part.
    ...(request.thinking?.type === 'between_tools' && { thinking: request.thinking }),
  }
  return Object.keys(own).length === 0 ? {} : { [FORMAT]: own }
}

function outputExtras(request: MessagesRequest): JsonObject {
  const decoded = new Set(['format'])
  if (isEffortDecoded(request)) decoded.add('effort')
  return without(request.output_config ?? {}, decoded)
}

function systemExtras({ system }: MessagesRequest): JsonObject {
  const others = Array.isArray(system) ? system.filter(({ type }) => type !== 'text') : []
  return others.length === 0 ? {} : { system: others }
}

/** A null member counts as absent. */
function without(object: object, names: ReadonlySet<string>): JsonObject {
  const rest = Object.entries(object).filter(([name, value]) => !names.has(name) && value !== null)
  return Object.fromEntries(rest)
}

function whenFilled(name: string, value: JsonObject): JsonObject {
  return Object.keys(value).length === 0 ? {} : { [name]: value }
}
