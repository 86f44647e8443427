import type { Conversation, RequestSettings } from '../../../conversation/conversation.ts'
import { GatewayError } from '../../../errors/gateway-error.ts'
import { FORMAT } from '../format.ts'
import type { ChatRequest } from '../schema.ts'
import { decodeMessages } from './decode-messages.ts'
import { decodeToolChoice, decodeTools } from './decode-tools.ts'
import { decodeOutput } from './output.ts'
import { PARAMETERS } from './parameters.ts'

/** Fields that the conversation has members for, or that mean nothing to a supplier. All others become extras. */
const DECODED: ReadonlySet<string> = new Set([
  ...Object.keys(PARAMETERS.members),
  'model',
  'messages',
  'stream',
  'stream_options',
  'tools',
  'tool_choice',
  'functions',
  'function_call',
  'web_search_options',
  'response_format',
  'modalities',
])

export function decodeRequest(request: ChatRequest): Conversation {
  refuseAudio(request)
  return {
    ...decodeSettings(request),
    model: request.model,
    stream: request.stream === true,
    ...decodeMessages(request.messages),
    tools: decodeTools(request),
    toolChoice: decodeToolChoice(request),
    extras: decodeExtras(request),
  }
}

export function decodeSettings(request: ChatRequest): RequestSettings {
  const parameters = PARAMETERS.decode(request)
  return {
    ...parameters,
    // A client that uses `functions` can read one call per answer only.
    parallelTools: parameters.parallelTools ?? (wantsFunctionCall(request) ? false : null),
    output: decodeOutput(request.response_format),
  }
}

/** No other format has spoken answers, and those of this one are only relayed. */
function refuseAudio({ modalities }: ChatRequest): void {
  if (!modalities?.includes('audio')) return
  const message =
    'This model answers in text only. Remove "audio" from modalities, or choose a model that speaks.'
  throw new GatewayError('unsupported_parameter', message, { param: 'modalities' })
}

/** True when the client uses only the deprecated `functions` and expects a `function_call` in the answer. */
export function wantsFunctionCall({ functions, tools }: ChatRequest): boolean {
  return (functions?.length ?? 0) > 0 && (tools?.length ?? 0) === 0
}

function decodeExtras(request: ChatRequest): Conversation['extras'] {
  const extra = Object.entries(request).filter(
    ([name, value]) => !DECODED.has(name) && value !== null && value !== undefined,
  )
  return extra.length === 0 ? {} : { [FORMAT]: Object.fromEntries(extra) }
}
