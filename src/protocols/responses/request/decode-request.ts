import type { Conversation, Extras, OutputFormat } from '../../../conversation/conversation.ts'
import type { Effort, ReasoningRequest } from '../../../conversation/effort.ts'
import { DEFAULT_PARAMETERS } from '../../../conversation/parameters.ts'
import { asObject, isObject, type JsonObject } from '../../../wire/json-values.ts'
import { FORMAT } from '../format.ts'
import type { ResponsesRequest } from '../schema.ts'
import { decodeItem, TurnGatherer } from './decode-items.ts'
import { inputItemsOf } from './input-items.ts'
import { ENCRYPTED_REASONING } from './relay-body.ts'
import { decodeToolChoice, decodeTools } from './tools.ts'

export const TEXT_LOGPROBS = 'message.output_text.logprobs'

/** Decodes a validated request into a conversation. */
export function decodeRequest(request: ResponsesRequest): Conversation {
  const { instructions } = request
  const gatherer = new TurnGatherer(instructions ? [{ text: instructions, cache: null }] : [])
  for (const item of inputItemsOf(request)) decodeItem(asObject(item) ?? {}, gatherer)
  const tools = decodeTools(request.tools)
  const wantsLogprobs = request.include?.includes(TEXT_LOGPROBS) ?? false
  return {
    ...DEFAULT_PARAMETERS,
    model: request.model,
    stream: request.stream === true,
    instructions: gatherer.instructions,
    turns: gatherer.turns(),
    tools,
    toolChoice: decodeToolChoice(request.tool_choice, tools),
    parallelTools: request.parallel_tool_calls ?? null,
    temperature: request.temperature ?? null,
    topP: request.top_p ?? null,
    maxOutputTokens: request.max_output_tokens ?? null,
    choices: 1,
    reasoning: decodeReasoningRequest(request.reasoning),
    output: decodeOutput(request.text?.format),
    topLogprobs: wantsLogprobs ? (request.top_logprobs ?? 0) : null,
    verbosity: request.text?.verbosity ?? null,
    endUser: request.safety_identifier ?? request.user ?? null,
    cacheKey: request.prompt_cache_key ?? null,
    metadata: decodeMetadata(request.metadata),
    extras: decodeExtras(request),
  }
}

function decodeReasoningRequest(wire: ResponsesRequest['reasoning']): ReasoningRequest | null {
  const effort = wire?.effort ?? null
  const summary = wire?.summary ?? wire?.generate_summary ?? null
  if (effort === null && summary === null) return null
  return {
    control: effort === null ? { type: 'unsaid' } : { type: 'effort', effort: effort as Effort },
    showThoughts: summary === null ? null : true,
  }
}

type WireFormat = NonNullable<NonNullable<ResponsesRequest['text']>['format']>

function decodeOutput(format: WireFormat | null | undefined): OutputFormat {
  switch (format?.type) {
    case 'json_object':
      return { type: 'json' }
    case 'json_schema':
      return {
        type: 'schema',
        name: format.name,
        description: format.description ?? null,
        schema: format.schema as JsonObject,
        strict: format.strict ?? null,
      }
    default:
      return { type: 'text' }
  }
}

function decodeMetadata(metadata: unknown): Readonly<Record<string, string>> | null {
  const entries = Object.entries(asObject(metadata) ?? {})
  if (entries.length === 0) return null
  const asString = (value: unknown) => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))
  return Object.fromEntries(entries.map(([name, value]) => [name, asString(value)]))
}

/** Members that the conversation already holds, or that only the gateway and the client use. */
const NOT_EXTRA: ReadonlySet<string> = new Set([
  'model',
  'input',
  'instructions',
  'max_output_tokens',
  'temperature',
  'top_p',
  'top_logprobs',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'stream',
  'stream_options',
  'store',
  'previous_response_id',
  'background',
  'conversation',
  'prompt',
  'metadata',
  'client_metadata',
  'text',
  'reasoning',
  'include',
  'user',
  'safety_identifier',
  'prompt_cache_key',
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
