import { type Static, type TSchema, Type } from 'typebox'
import { SandboxError } from '../../sandbox-error.ts'
import { refuseShape } from '../openai-style.ts'
import { Anything, Closed, createCheck, Literals, Nullable, Tagged } from '../shape.ts'

const NamedTool = Type.Object({ type: Type.String(), name: Type.Optional(Type.String()) })

const Tool = Type.Object({
  type: Type.String(),
  name: Type.Optional(Type.String({ pattern: '^[A-Za-z0-9_-]{1,64}$' })),
  parameters: Nullable(Type.Unknown()),
  /** The members of a group of tools. */
  tools: Type.Optional(Type.Array(Type.Object({ type: Type.String(), name: Type.Optional(Type.String()) }))),
})

const ToolChoice = Type.Object({
  type: Type.String(),
  name: Type.Optional(Type.String()),
  mode: Type.Optional(Literals('auto', 'required')),
  tools: Type.Optional(Type.Array(NamedTool)),
})

const TextFormat = Type.Object({
  type: Literals('text', 'json_object', 'json_schema'),
  name: Type.Optional(Type.String({ pattern: '^[A-Za-z0-9_-]{1,64}$' })),
  schema: Type.Optional(Type.Unknown()),
})

// The real service knows no stop, n or seed here, and says so.
const ResponsesRequest = Closed({
  model: Type.String({ minLength: 1 }),
  input: Type.Union([Type.String(), Type.Array(Type.Object({ type: Type.Optional(Type.String()) }))]),
  instructions: Nullable(Type.String()),
  stream: Nullable(Type.Boolean()),
  max_output_tokens: Nullable(Type.Integer({ minimum: 16 })),
  temperature: Nullable(Type.Number({ minimum: 0, maximum: 2 })),
  top_p: Nullable(Type.Number({ minimum: 0, maximum: 1 })),
  tools: Nullable(Type.Array(Tool)),
  tool_choice: Nullable(Type.Union([Literals('none', 'auto', 'required'), ToolChoice])),
  parallel_tool_calls: Nullable(Type.Boolean()),
  reasoning: Nullable(
    Type.Object({
      effort: Nullable(Literals('none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max')),
      summary: Nullable(Literals('auto', 'concise', 'detailed')),
    }),
  ),
  text: Nullable(Type.Object({ format: Nullable(TextFormat), verbosity: Nullable(Type.String()) })),
  metadata: Nullable(Type.Object({})),
  store: Nullable(Type.Boolean()),
  previous_response_id: Nullable(Type.String()),
  include: Nullable(Type.Array(Type.String())),
  truncation: Nullable(Literals('auto', 'disabled')),
  user: Nullable(Type.String()),
  background: Anything,
  client_metadata: Anything,
  context_management: Anything,
  conversation: Anything,
  max_tool_calls: Anything,
  moderation: Anything,
  prompt: Anything,
  prompt_cache_key: Anything,
  prompt_cache_options: Anything,
  prompt_cache_retention: Anything,
  safety_identifier: Anything,
  service_tier: Anything,
  stream_options: Anything,
  top_logprobs: Anything,
})

export type ResponsesRequest = Static<typeof ResponsesRequest>
export type ResponsesTool = Static<typeof Tool>

const checkFields = createCheck(ResponsesRequest, refuseShape)

export function checkRequest(body: unknown): ResponsesRequest {
  const request = checkFields(body)
  // The sandbox keeps no answers, which is what a real supplier says of one it has forgotten.
  const previous = request.previous_response_id ?? null
  if (previous !== null) {
    throw new SandboxError('bad-request', `Previous response with id '${previous}' not found.`, {
      field: 'previous_response_id',
      code: 'previous_response_not_found',
    })
  }
  return request
}

const InputPart = Type.Object({
  type: Literals('input_text', 'input_image', 'input_file', 'input_audio'),
  text: Type.Optional(Type.String()),
  image_url: Nullable(Type.String()),
})
const OutputPart = Type.Object({
  type: Literals('output_text', 'refusal'),
  text: Type.Optional(Type.String()),
  refusal: Type.Optional(Type.String()),
})
const Id = Nullable(Type.String())
const CallId = Type.String({ minLength: 1, maxLength: 64 })
const Output = Type.Union([Type.String(), Type.Array(InputPart)])

const AskedMessage = Tagged('message', {
  id: Id,
  role: Literals('user', 'system', 'developer'),
  content: Output,
})
const SaidMessage = Tagged('message', {
  id: Id,
  role: Type.Literal('assistant'),
  content: Type.Union([Type.String(), Type.Array(OutputPart)]),
})
const ITEMS = {
  function_call: Tagged('function_call', {
    id: Id,
    call_id: CallId,
    name: Type.String(),
    arguments: Type.String(),
  }),
  function_call_output: Tagged('function_call_output', { call_id: CallId, output: Output }),
  custom_tool_call: Tagged('custom_tool_call', {
    id: Id,
    call_id: CallId,
    name: Type.String(),
    input: Type.String(),
  }),
  custom_tool_call_output: Tagged('custom_tool_call_output', { call_id: CallId, output: Output }),
  reasoning: Tagged('reasoning', {
    id: Id,
    summary: Type.Array(Tagged('summary_text', { text: Type.String() })),
    encrypted_content: Nullable(Type.String()),
  }),
  compaction: Tagged('compaction', { id: Id, encrypted_content: Type.String() }),
  compaction_trigger: Tagged('compaction_trigger', { id: Id }),
} as const

type ItemOf<T extends keyof typeof ITEMS> = Static<(typeof ITEMS)[T]>
export type AskedMessage = Static<typeof AskedMessage>
export type SaidMessage = Static<typeof SaidMessage>
export type ReasoningItem = ItemOf<'reasoning'>
export type CompactionItem = ItemOf<'compaction'>
export type InputItem =
  | AskedMessage
  | SaidMessage
  | { [T in keyof typeof ITEMS]: ItemOf<T> }[keyof typeof ITEMS]

const checkAsked = createCheck(AskedMessage, refuseShape)
const checkSaid = createCheck(SaidMessage, refuseShape)
const CHECKS = new Map(
  Object.entries(ITEMS).map(([type, schema]) => [type, createCheck<TSchema>(schema, refuseShape)]),
)

/** Traces of tools that the real service runs itself; the sandbox has none and passes over them. */
const PASSED_OVER = /^(web_search|file_search|code_interpreter|image_generation|mcp|tool_search)/

/** The input as items of known shape. A text stands for one message of the user. */
export function checkItems({ input }: ResponsesRequest): readonly InputItem[] {
  if (typeof input === 'string') return [{ type: 'message', role: 'user', content: input }]
  return input.flatMap((item, index) => checkItem(item, index))
}

function checkItem(given: { type?: string }, index: number): readonly InputItem[] {
  // A message may leave its type out.
  const item = { type: 'message', ...given }
  if (PASSED_OVER.test(item.type)) return []
  return [checkOf(item, index)(item, ['input', index]) as InputItem]
}

function checkOf(item: { type: string }, index: number) {
  if (item.type === 'message') return 'role' in item && item.role === 'assistant' ? checkSaid : checkAsked
  const check = CHECKS.get(item.type)
  if (check !== undefined) return check
  const field = `input[${index}]`
  const message =
    item.type === 'item_reference'
      ? 'The item this refers to was not found. Items are not persisted by the sandbox.'
      : `Invalid value: '${item.type}'. Supported values are: 'message', '${Object.keys(ITEMS).join("', '")}'.`
  throw new SandboxError('bad-request', message, { field })
}
