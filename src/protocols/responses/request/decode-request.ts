import type { Conversation, Extras, RequestSettings } from '../../../conversation/conversation.ts'
import { asObject, isObject } from '../../../wire/json-values.ts'
import { FORMAT } from '../format.ts'
import type { ResponsesRequest } from '../schema.ts'
import { decodeItem, TurnGatherer } from './decode-items.ts'
import { inputItemsOf } from './input-items.ts'
import { decodeOutput, ENCRYPTED_REASONING, PARAMETERS, TEXT_LOGPROBS } from './parameters.ts'
import { decodeToolChoice, decodeTools } from './tools.ts'

/** Decodes a validated request into a conversation. */
export function decodeRequest(request: ResponsesRequest): Conversation {
  const { instructions } = request
  const gatherer = new TurnGatherer(instructions ? [{ text: instructions, cache: null }] : [])
  for (const item of inputItemsOf(request)) decodeItem(asObject(item) ?? {}, gatherer)
  const tools = decodeTools(request.tools)
  return {
    ...decodeSettings(request),
    model: request.model,
    stream: request.stream === true,
    instructions: gatherer.instructions,
    turns: gatherer.turns(),
    tools,
    toolChoice: decodeToolChoice(request.tool_choice, tools),
    extras: decodeExtras(request),
  }
}

export function decodeSettings(request: ResponsesRequest): RequestSettings {
  return { ...PARAMETERS.decode(request), output: decodeOutput(request.text?.format) }
}

/** Members that the conversation already holds, or that only the gateway and the client use. */
const NOT_EXTRA: ReadonlySet<string> = new Set([
  ...Object.keys(PARAMETERS.members),
  'model',
  'input',
  'instructions',
  'tools',
  'tool_choice',
  'stream',
  'stream_options',
  'store',
  'previous_response_id',
  'background',
  'conversation',
  'prompt',
  'client_metadata',
])
/** Default values, which need not be kept. */
const DEFAULTS: Readonly<Record<string, unknown>> = { truncation: 'disabled', service_tier: 'auto' }

function decodeExtras(request: ResponsesRequest): Extras {
  const others = Object.entries(request).filter(
    ([name, value]) => !NOT_EXTRA.has(name) && value !== null && value !== DEFAULTS[name],
  )
  const extras: Record<string, unknown> = Object.fromEntries(others)
  const include = request.include?.filter((what) => what !== ENCRYPTED_REASONING && what !== TEXT_LOGPROBS)
  if (include?.length) extras.include = include
  const { effort: _effort, ...reasoning } = request.reasoning ?? {}
  if (Object.entries(reasoning).some(([name, value]) => value !== null && !isPlainSummary(name, value))) {
    extras.reasoning = reasoning
  }
  if (isObject(request.tool_choice) && decodeToolChoice(request.tool_choice, []) === null) {
    extras.tool_choice = request.tool_choice
  }
  return Object.keys(extras).length === 0 ? {} : { [FORMAT]: extras }
}

function isPlainSummary(name: string, value: unknown): boolean {
  return name === 'summary' && value === 'auto'
}
