import type { Conversation, OutputFormat } from '../../../conversation/conversation.ts'
import type { ReasoningRequest } from '../../../conversation/effort.ts'
import type { JsonSchema } from '../../../conversation/json-schema.ts'
import { FORMAT } from '../format.ts'
import type { ChatRequest } from '../schema.ts'
import { decodeMessages } from './decode-messages.ts'
import { decodeToolChoice, decodeTools } from './tools.ts'

/** Fields that the conversation has members for, or that mean nothing to a supplier. All others become extras. */
const DECODED: ReadonlySet<string> = new Set([
  'model',
  'messages',
  'stream',
  'stream_options',
  'temperature',
  'top_p',
  'top_k',
  'seed',
  'presence_penalty',
  'frequency_penalty',
  'stop',
  'max_tokens',
  'max_completion_tokens',
  'n',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'functions',
  'function_call',
  'web_search_options',
  'reasoning_effort',
  'response_format',
  'logprobs',
  'top_logprobs',
  'verbosity',
  'user',
  'safety_identifier',
  'prompt_cache_key',
  'metadata',
  'modalities',
])

export function decodeRequest(request: ChatRequest): Conversation {
  const { instructions, turns } = decodeMessages(request.messages)
  const tools = decodeTools(request)
  return {
    model: request.model,
    stream: request.stream === true,
    instructions,
    turns,
    tools,
    toolChoice: decodeToolChoice(request),
    // A client that uses `functions` can read one call per answer only.
    parallelTools: request.parallel_tool_calls ?? (wantsFunctionCall(request) ? false : null),
    ...decodeSampling(request),
    maxOutputTokens: request.max_completion_tokens ?? request.max_tokens ?? null,
    choices: request.n ?? 1,
    reasoning: decodeReasoning(request),
    output: decodeOutput(request.response_format),
    topLogprobs: request.logprobs === true ? (request.top_logprobs ?? 0) : null,
    verbosity: request.verbosity ?? null,
    endUser: request.safety_identifier ?? request.user ?? null,
    cacheKey: request.prompt_cache_key ?? null,
    metadata: decodeMetadata(request.metadata),
    extras: decodeExtras(request),
  }
}

/** True when the client uses only the deprecated `functions` and expects a `function_call` in the answer. */
export function wantsFunctionCall({ functions, tools }: ChatRequest): boolean {
  return (functions?.length ?? 0) > 0 && (tools?.length ?? 0) === 0
}

function decodeSampling(request: ChatRequest) {
  const stop = request.stop ?? []
  return {
    temperature: request.temperature ?? null,
    topP: request.top_p ?? null,
    topK: request.top_k ?? null,
    seed: request.seed ?? null,
    presencePenalty: request.presence_penalty ?? null,
    frequencyPenalty: request.frequency_penalty ?? null,
    stop: typeof stop === 'string' ? [stop] : stop,
  }
}

// A client that sets an effort expects thinking, which `reasoning_content` can show.
function decodeReasoning({ reasoning_effort: effort }: ChatRequest): ReasoningRequest | null {
  if (effort === undefined || effort === null) return null
  return { control: { type: 'effort', effort }, showThoughts: effort !== 'none' }
}

function decodeOutput(format: ChatRequest['response_format']): OutputFormat {
  switch (format?.type) {
    case 'json_object':
      return { type: 'json' }
    case 'json_schema': {
      const { name, description, schema, strict } = format.json_schema
      return {
        type: 'schema',
        name,
        description: description ?? null,
        schema: (schema as JsonSchema | null | undefined) ?? {},
        strict: strict ?? null,
      }
    }
    default:
      return { type: 'text' }
  }
}

function decodeMetadata(metadata: ChatRequest['metadata']): Conversation['metadata'] {
  if (metadata === null || metadata === undefined) return null
  const entries = Object.entries(metadata).filter(([, value]) => typeof value === 'string')
  return entries.length === 0 ? null : Object.fromEntries(entries)
}

function decodeExtras(request: ChatRequest): Conversation['extras'] {
  const extra = Object.entries(request).filter(
    ([name, value]) => !DECODED.has(name) && value !== null && value !== undefined,
  )
  return extra.length === 0 ? {} : { [FORMAT]: Object.fromEntries(extra) }
}
