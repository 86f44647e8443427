import Type, { type Static, type TSchema } from 'typebox'
import { MAX_TOKENS_NOTE, MODEL_NOTE, STREAM_NOTE } from '../contract-notes.ts'
import {
  MAX_BIASED_TOKENS,
  MAX_MESSAGES,
  MAX_METADATA_PAIRS,
  MAX_STOP_CHARACTERS,
  MAX_TOOLS,
} from '../request-limits.ts'

/** Suppliers count tokens in 32 bits. A larger limit is a mistake and would overflow the reservation. */
const MAX_TOKENS = 2 ** 31 - 1

const Nullable = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()])
const OptionalOrNull = <Schema extends TSchema>(schema: Schema) => Type.Optional(Nullable(schema))
const NonEmptyString = Type.String({ minLength: 1 })
const AnyObject = Type.Object({})
const StopSequence = Type.String({ minLength: 1, maxLength: MAX_STOP_CHARACTERS })

/** Any part. Suppliers have their own kinds, and the one that serves the request decides. */
const ContentPart = Type.Object({ type: NonEmptyString })
const Content = Type.Union([Type.String(), Type.Array(ContentPart)])

const TextPart = Type.Object({ type: Type.Literal('text'), text: Type.String() })
/** The parts whose fields are checked, by `type`. Suppliers differ in which roles may hold which parts. */
export const KNOWN_PARTS = {
  text: TextPart,
  image_url: Type.Object({
    type: Type.Literal('image_url'),
    image_url: Type.Object({ url: NonEmptyString, detail: OptionalOrNull(Type.String()) }),
  }),
  input_audio: Type.Object({
    type: Type.Literal('input_audio'),
    input_audio: Type.Object({ data: Type.String(), format: Type.String() }),
  }),
  file: Type.Object({
    type: Type.Literal('file'),
    file: Type.Object({
      file_data: OptionalOrNull(Type.String()),
      file_id: OptionalOrNull(Type.String()),
      filename: OptionalOrNull(Type.String()),
    }),
  }),
  refusal: Type.Object({ type: Type.Literal('refusal'), refusal: Type.String() }),
} as const

const FunctionCall = Type.Object({ name: Type.String(), arguments: Type.String() })
const ToolCall = Type.Object({ type: NonEmptyString })
export const KNOWN_CALLS = {
  function: Type.Object({ id: Type.String(), type: Type.Literal('function'), function: FunctionCall }),
  custom: Type.Object({
    id: Type.String(),
    type: Type.Literal('custom'),
    custom: Type.Object({ name: Type.String(), input: Type.String() }),
  }),
} as const

const instructions = { content: Content, name: OptionalOrNull(Type.String()) }
const Message = Type.Union([
  Type.Object({ role: Type.Literal('system'), ...instructions }),
  Type.Object({ role: Type.Literal('developer'), ...instructions }),
  Type.Object({ role: Type.Literal('user'), content: Content, name: OptionalOrNull(Type.String()) }),
  Type.Object({
    role: Type.Literal('assistant'),
    content: OptionalOrNull(Content),
    name: OptionalOrNull(Type.String()),
    refusal: OptionalOrNull(Type.String()),
    audio: OptionalOrNull(AnyObject),
    // Clients send answers back as they got them, with absent calls as null.
    tool_calls: OptionalOrNull(Type.Array(ToolCall)),
    function_call: OptionalOrNull(FunctionCall),
    // Two names that suppliers use for thinking. The official format has none.
    reasoning_content: OptionalOrNull(Type.String()),
    reasoning: OptionalOrNull(Type.String()),
  }),
  Type.Object({ role: Type.Literal('tool'), content: Content, tool_call_id: Type.String() }),
  Type.Object({ role: Type.Literal('function'), content: Nullable(Content), name: NonEmptyString }),
])

const FunctionDefinition = Type.Object({
  name: NonEmptyString,
  description: OptionalOrNull(Type.String()),
  parameters: OptionalOrNull(AnyObject),
  strict: OptionalOrNull(Type.Boolean()),
})
const Grammar = Type.Object({ syntax: Type.Enum(['lark', 'regex']), definition: Type.String() })
const Tool = Type.Object({ type: NonEmptyString })
export const KNOWN_TOOLS = {
  function: Type.Object({ type: Type.Literal('function'), function: FunctionDefinition }),
  custom: Type.Object({
    type: Type.Literal('custom'),
    custom: Type.Object({
      name: NonEmptyString,
      description: OptionalOrNull(Type.String()),
      format: OptionalOrNull(
        Type.Union([
          Type.Object({ type: Type.Literal('text') }),
          Type.Object({ type: Type.Literal('grammar'), grammar: Grammar }),
        ]),
      ),
    }),
  }),
} as const

const Named = Type.Object({ name: NonEmptyString })
const ToolChoice = Type.Union([
  Type.Enum(['auto', 'none', 'required']),
  Type.Object({ type: Type.Literal('function'), function: Named }),
  Type.Object({ type: Type.Literal('custom'), custom: Named }),
  Type.Object({
    type: Type.Literal('allowed_tools'),
    allowed_tools: Type.Object({
      mode: Type.Enum(['auto', 'required']),
      tools: Type.Array(AnyObject, { maxItems: MAX_TOOLS }),
    }),
  }),
])

const ResponseFormat = Type.Union([
  Type.Object({ type: Type.Literal('text') }),
  Type.Object({ type: Type.Literal('json_object') }),
  Type.Object({
    type: Type.Literal('json_schema'),
    json_schema: Type.Object({
      name: NonEmptyString,
      description: OptionalOrNull(Type.String()),
      schema: OptionalOrNull(AnyObject),
      strict: OptionalOrNull(Type.Boolean()),
    }),
  }),
])

const WebSearchOptions = Type.Object({
  search_context_size: OptionalOrNull(Type.Enum(['low', 'medium', 'high'])),
  user_location: OptionalOrNull(
    Type.Object({ type: Type.Literal('approximate'), approximate: OptionalOrNull(AnyObject) }),
  ),
})

/**
 * A chat-completion request. Unknown fields are allowed everywhere and passed on.
 * Null means absent where the official clients may send it.
 */
export const ChatRequestSchema = Type.Object({
  model: Type.String({ minLength: 1, description: MODEL_NOTE }),
  messages: Type.Array(Message, {
    minItems: 1,
    maxItems: MAX_MESSAGES,
    description: 'Content is text, or parts as in `ChatContentPart`.',
  }),
  temperature: OptionalOrNull(Type.Number({ minimum: 0, maximum: 2 })),
  top_p: OptionalOrNull(Type.Number({ minimum: 0, maximum: 1 })),
  top_k: OptionalOrNull(Type.Integer()),
  max_tokens: OptionalOrNull(Type.Integer({ minimum: 1, maximum: MAX_TOKENS, description: MAX_TOKENS_NOTE })),
  max_completion_tokens: OptionalOrNull(
    Type.Integer({ minimum: 1, maximum: MAX_TOKENS, description: 'The newer name of `max_tokens`.' }),
  ),
  n: OptionalOrNull(Type.Integer({ minimum: 1, maximum: 128 })),
  stream: OptionalOrNull(Type.Boolean({ description: STREAM_NOTE })),
  stream_options: OptionalOrNull(
    Type.Object({
      include_usage: OptionalOrNull(Type.Boolean()),
      include_obfuscation: OptionalOrNull(Type.Boolean()),
    }),
  ),
  frequency_penalty: OptionalOrNull(Type.Number({ minimum: -2, maximum: 2 })),
  presence_penalty: OptionalOrNull(Type.Number({ minimum: -2, maximum: 2 })),
  stop: OptionalOrNull(Type.Union([StopSequence, Type.Array(StopSequence, { minItems: 1, maxItems: 4 })])),
  tools: OptionalOrNull(Type.Array(Tool, { maxItems: MAX_TOOLS, description: 'As in `ChatTool`.' })),
  tool_choice: OptionalOrNull(ToolChoice),
  parallel_tool_calls: OptionalOrNull(Type.Boolean()),
  functions: OptionalOrNull(Type.Array(FunctionDefinition, { maxItems: MAX_TOOLS })),
  function_call: OptionalOrNull(Type.Union([Type.Enum(['none', 'auto']), Named])),
  reasoning_effort: OptionalOrNull(Type.Enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'])),
  verbosity: OptionalOrNull(Type.Enum(['low', 'medium', 'high'])),
  seed: OptionalOrNull(Type.Integer()),
  logprobs: OptionalOrNull(Type.Boolean()),
  top_logprobs: OptionalOrNull(Type.Integer({ minimum: 0, maximum: 20 })),
  // Not a Record: its key pattern does not match keys with a line break, so their values would not be checked.
  logit_bias: OptionalOrNull(
    Type.Object(
      {},
      {
        additionalProperties: Type.Number({ minimum: -100, maximum: 100 }),
        maxProperties: MAX_BIASED_TOKENS,
      },
    ),
  ),
  response_format: OptionalOrNull(ResponseFormat),
  prediction: OptionalOrNull(
    Type.Object({
      type: Type.Literal('content'),
      content: Type.Union([Type.String(), Type.Array(TextPart)]),
    }),
  ),
  modalities: OptionalOrNull(Type.Array(Type.String())),
  audio: OptionalOrNull(AnyObject),
  web_search_options: OptionalOrNull(WebSearchOptions),
  user: OptionalOrNull(Type.String()),
  safety_identifier: OptionalOrNull(Type.String()),
  store: OptionalOrNull(Type.Boolean()),
  metadata: OptionalOrNull(Type.Object({}, { maxProperties: MAX_METADATA_PAIRS })),
  service_tier: OptionalOrNull(Type.String()),
  prompt_cache_key: OptionalOrNull(Type.String()),
  prompt_cache_options: OptionalOrNull(AnyObject),
  prompt_cache_retention: OptionalOrNull(Type.String()),
  moderation: OptionalOrNull(AnyObject),
})

export type ChatRequest = Static<typeof ChatRequestSchema>
export type ChatMessage = Static<typeof Message>
export type ChatContent = Static<typeof Content>
export type ChatContentPart = Static<typeof ContentPart>
export type ChatToolCall = Static<typeof ToolCall>
export type ChatTool = Static<typeof Tool>
export type ChatToolChoice = Static<typeof ToolChoice>
export type ChatFunction = Static<typeof FunctionDefinition>

export type KnownPart = Static<(typeof KNOWN_PARTS)[keyof typeof KNOWN_PARTS]>
export type KnownCall = Static<(typeof KNOWN_CALLS)[keyof typeof KNOWN_CALLS]>
export type KnownTool = Static<(typeof KNOWN_TOOLS)[keyof typeof KNOWN_TOOLS]>

// Validation has checked the fields of every known kind, so `type` is enough to narrow.
export function asKnownPart(part: ChatContentPart): KnownPart | null {
  return Object.hasOwn(KNOWN_PARTS, part.type) ? (part as KnownPart) : null
}

export function asKnownCall(call: ChatToolCall): KnownCall | null {
  return Object.hasOwn(KNOWN_CALLS, call.type) ? (call as KnownCall) : null
}

export function asKnownTool(tool: ChatTool): KnownTool | null {
  return Object.hasOwn(KNOWN_TOOLS, tool.type) ? (tool as KnownTool) : null
}
