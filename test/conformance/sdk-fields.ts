import type {
  BetaMessage,
  BetaMessageDeltaUsage,
  BetaRawMessageDeltaEvent,
  BetaUsage,
} from '@anthropic-ai/sdk/resources/beta/messages/messages'
import type {
  Message,
  MessageDeltaUsage,
  RawMessageDeltaEvent,
  TextBlock,
  ToolUseBlock,
  Usage,
} from '@anthropic-ai/sdk/resources/messages'
import type {
  ChatCompletion,
  ChatCompletionChunk,
  ChatCompletionMessage,
} from 'openai/resources/chat/completions'
import type {
  FunctionTool,
  Response,
  ResponseErrorEvent,
  ResponseUsage,
} from 'openai/resources/responses/responses'
import type { PublishedFormat } from './published-schemas.ts'

type RequiredNames<T> = { [K in keyof T]-?: object extends Pick<T, K> ? never : K }[keyof T]

/** The members that an SDK's type requires. The compiler keeps the list complete when the SDK changes. */
const required = <T>(names: Record<RequiredNames<T>, true>): readonly string[] => Object.keys(names)

// The SDK adds `output_text` itself.
const RESPONSE = required<Omit<Response, 'output_text'>>({
  id: true,
  access_programs: true,
  created_at: true,
  error: true,
  incomplete_details: true,
  instructions: true,
  metadata: true,
  model: true,
  object: true,
  output: true,
  parallel_tool_calls: true,
  temperature: true,
  tool_choice: true,
  tools: true,
  top_p: true,
})
const RESPONSE_USAGE = required<ResponseUsage>({
  input_tokens: true,
  input_tokens_details: true,
  output_tokens: true,
  output_tokens_details: true,
  total_tokens: true,
})
const INPUT_DETAILS = required<ResponseUsage['input_tokens_details']>({
  cached_tokens: true,
  cache_write_tokens: true,
})
const FUNCTION_TOOL = required<FunctionTool>({ type: true, name: true, parameters: true, strict: true })
const ERROR_EVENT = required<ResponseErrorEvent>({
  type: true,
  code: true,
  message: true,
  param: true,
  sequence_number: true,
})
// Clients of the beta get the same answers, so those have the members of both.
const MESSAGE = required<Message & BetaMessage>({
  context_management: true,
  id: true,
  container: true,
  content: true,
  diagnostics: true,
  model: true,
  role: true,
  stop_details: true,
  stop_reason: true,
  stop_sequence: true,
  type: true,
  usage: true,
})
const MESSAGE_USAGE = required<Usage & BetaUsage>({
  fallback_credit: true,
  iterations: true,
  cache_creation: true,
  cache_creation_input_tokens: true,
  cache_read_input_tokens: true,
  inference_geo: true,
  input_tokens: true,
  output_tokens: true,
  output_tokens_details: true,
  server_tool_use: true,
  service_tier: true,
  speed: true,
})
const DELTA_USAGE = required<MessageDeltaUsage & BetaMessageDeltaUsage>({
  fallback_credit: true,
  iterations: true,
  cache_creation_input_tokens: true,
  cache_read_input_tokens: true,
  input_tokens: true,
  output_tokens: true,
  output_tokens_details: true,
  server_tool_use: true,
})
const DELTA_EVENT = required<BetaRawMessageDeltaEvent>({
  context_management: true,
  delta: true,
  type: true,
  usage: true,
})
const DELTA = required<RawMessageDeltaEvent.Delta & BetaRawMessageDeltaEvent.Delta>({
  container: true,
  stop_details: true,
  stop_reason: true,
  stop_sequence: true,
})
const BLOCKS: Readonly<Record<string, readonly string[]>> = {
  text: required<TextBlock>({ type: true, text: true, citations: true }),
  tool_use: required<ToolUseBlock>({ type: true, id: true, name: true, input: true, caller: true }),
}
const COMPLETION = required<ChatCompletion>({
  id: true,
  choices: true,
  created: true,
  model: true,
  object: true,
})
const CHOICE = required<ChatCompletion.Choice>({
  finish_reason: true,
  index: true,
  logprobs: true,
  message: true,
})
const SAID = required<ChatCompletionMessage>({ content: true, refusal: true, role: true })
const CHUNK = required<ChatCompletionChunk>({
  id: true,
  choices: true,
  created: true,
  model: true,
  object: true,
})
const CHUNK_CHOICE = required<ChatCompletionChunk.Choice>({ delta: true, index: true, finish_reason: true })

type Fields = Readonly<Record<string, unknown>>
/** A value, and the names it must have. */
type Demand = readonly [value: unknown, names: readonly string[]]

/** The members that the official SDK requires and a whole answer or an event lacks. */
export function findMissingFields(format: PublishedFormat, value: Fields): readonly string[] {
  return demandsOf(format, value).flatMap(([part, names]) => {
    const fields = (part ?? {}) as Fields
    return names.filter((name) => fields[name] === undefined)
  })
}

function demandsOf(format: PublishedFormat, value: Fields): readonly Demand[] {
  switch (format) {
    case 'chat-completion':
      return value.object === 'chat.completion' ? completionDemands(value) : chunkDemands(value)
    case 'responses':
      if (value.type === 'error') return [[value, ERROR_EVENT]]
      return responseDemands((value.object === 'response' ? value : value.response) as Fields | undefined)
    case 'messages':
      return messageDemands(value)
  }
}

function completionDemands(completion: Fields): readonly Demand[] {
  const choices = completion.choices as readonly Fields[]
  return [
    [completion, COMPLETION],
    ...choices.flatMap((choice): Demand[] => [
      [choice, CHOICE],
      [choice.message, SAID],
    ]),
  ]
}

function chunkDemands(chunk: Fields): readonly Demand[] {
  const choices = chunk.choices as readonly Fields[]
  return [[chunk, CHUNK], ...choices.map((choice): Demand => [choice, CHUNK_CHOICE])]
}

function responseDemands(response: Fields | undefined): readonly Demand[] {
  if (response === undefined) return []
  const tools = (response.tools as readonly Fields[]).filter(({ type }) => type === 'function')
  const demands: Demand[] = [[response, RESPONSE], ...tools.map((tool): Demand => [tool, FUNCTION_TOOL])]
  const usage = response.usage as ResponseUsage | null
  return usage === null
    ? demands
    : [...demands, [usage, RESPONSE_USAGE], [usage.input_tokens_details, INPUT_DETAILS]]
}

function messageDemands(value: Fields): readonly Demand[] {
  switch (value.type) {
    case 'message': {
      const blocks = (value.content as readonly Fields[]).map(blockDemand)
      return [[value, MESSAGE], [value.usage, MESSAGE_USAGE], ...blocks]
    }
    case 'message_start':
      return messageDemands(value.message as Fields)
    case 'content_block_start':
      return [blockDemand(value.content_block as Fields)]
    case 'message_delta':
      return [
        [value, DELTA_EVENT],
        [value.delta, DELTA],
        [value.usage, DELTA_USAGE],
      ]
    default:
      return []
  }
}

function blockDemand(block: Fields): Demand {
  return [block, BLOCKS[String(block.type)] ?? []]
}
