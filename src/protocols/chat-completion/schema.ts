import Type, { type Static } from 'typebox'
import { MODEL_NOTE, STREAM_NOTE } from '../contract-notes.ts'
import { optionalOrNull } from '../parameter-table.ts'
import { MAX_BIASED_TOKENS, MAX_MESSAGES, MAX_TOOLS } from '../request-limits.ts'
import { ResponseFormat } from './request/output.ts'
import { PARAMETERS } from './request/parameters.ts'

const NonEmptyString = Type.String({ minLength: 1 })
const AnyObject = Type.Object({})

/** Any part. Suppliers have their own kinds, and the one that serves the request decides. */
const ContentPart = Type.Object({ type: NonEmptyString })
const Content = Type.Union([Type.String(), Type.Array(ContentPart)])

const TextPart = Type.Object({ type: Type.Literal('text'), text: Type.String() })
/** The parts whose fields are checked, by `type`. Suppliers differ in which roles may hold which parts. */
export const KNOWN_PARTS = {
  text: TextPart,
  image_url: Type.Object({
    type: Type.Literal('image_url'),
    image_url: Type.Object({ url: NonEmptyString, detail: optionalOrNull(Type.String()) }),
  }),
  input_audio: Type.Object({
    type: Type.Literal('input_audio'),
    input_audio: Type.Object({ data: Type.String(), format: Type.String() }),
  }),
  file: Type.Object({
    type: Type.Literal('file'),
    file: Type.Object({
      file_data: optionalOrNull(Type.String()),
      file_id: optionalOrNull(Type.String()),
      filename: optionalOrNull(Type.String()),
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

const instructions = { content: Content, name: optionalOrNull(Type.String()) }
const Message = Type.Union([
  Type.Object({ role: Type.Literal('system'), ...instructions }),
  Type.Object({ role: Type.Literal('developer'), ...instructions }),
  Type.Object({ role: Type.Literal('user'), content: Content, name: optionalOrNull(Type.String()) }),
  Type.Object({
    role: Type.Literal('assistant'),
    content: optionalOrNull(Content),
    name: optionalOrNull(Type.String()),
    refusal: optionalOrNull(Type.String()),
    audio: optionalOrNull(AnyObject),
    // Clients send answers back as they got them, with absent calls as null.
    tool_calls: optionalOrNull(Type.Array(ToolCall)),
    function_call: optionalOrNull(FunctionCall),
    // Two names that suppliers use for thinking. The official format has none.
    reasoning_content: optionalOrNull(Type.String()),
    reasoning: optionalOrNull(Type.String()),
  }),
  Type.Object({ role: Type.Literal('tool'), content: Content, tool_call_id: Type.String() }),
  Type.Object({
    role: Type.Literal('function'),
    content: Type.Union([Content, Type.Null()]),
    name: NonEmptyString,
  }),
])

const FunctionDefinition = Type.Object({
  name: NonEmptyString,
  description: optionalOrNull(Type.String()),
  parameters: optionalOrNull(AnyObject),
  strict: optionalOrNull(Type.Boolean()),
})
const Grammar = Type.Object({ syntax: Type.Enum(['lark', 'regex']), definition: Type.String() })
const Tool = Type.Object({ type: NonEmptyString })
export const KNOWN_TOOLS = {
  function: Type.Object({ type: Type.Literal('function'), function: FunctionDefinition }),
  custom: Type.Object({
    type: Type.Literal('custom'),
    custom: Type.Object({
      name: NonEmptyString,
      description: optionalOrNull(Type.String()),
      format: optionalOrNull(
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

const WebSearchOptions = Type.Object({
  search_context_size: optionalOrNull(Type.Enum(['low', 'medium', 'high'])),
  user_location: optionalOrNull(
    Type.Object({ type: Type.Literal('approximate'), approximate: optionalOrNull(AnyObject) }),
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
  ...PARAMETERS.members,
  stream: optionalOrNull(Type.Boolean({ description: STREAM_NOTE })),
  stream_options: optionalOrNull(
    Type.Object({
      include_usage: optionalOrNull(Type.Boolean()),
      include_obfuscation: optionalOrNull(Type.Boolean()),
    }),
  ),
  tools: optionalOrNull(Type.Array(Tool, { maxItems: MAX_TOOLS, description: 'As in `ChatTool`.' })),
  tool_choice: optionalOrNull(ToolChoice),
  functions: optionalOrNull(Type.Array(FunctionDefinition, { maxItems: MAX_TOOLS })),
  function_call: optionalOrNull(Type.Union([Type.Enum(['none', 'auto']), Named])),
  // Not a Record: its key pattern does not match keys with a line break, so their values would not be checked.
  logit_bias: optionalOrNull(
    Type.Object(
      {},
      {
        additionalProperties: Type.Number({ minimum: -100, maximum: 100 }),
        maxProperties: MAX_BIASED_TOKENS,
      },
    ),
  ),
  response_format: optionalOrNull(ResponseFormat),
  prediction: optionalOrNull(
    Type.Object({
      type: Type.Literal('content'),
      content: Type.Union([Type.String(), Type.Array(TextPart)]),
    }),
  ),
  modalities: optionalOrNull(Type.Array(Type.String())),
  audio: optionalOrNull(AnyObject),
  web_search_options: optionalOrNull(WebSearchOptions),
  store: optionalOrNull(
    Type.Boolean({ description: 'Stores the completion for 30 days. Defaults to false.' }),
  ),
  service_tier: optionalOrNull(Type.String()),
  prompt_cache_options: optionalOrNull(AnyObject),
  prompt_cache_retention: optionalOrNull(Type.String()),
  moderation: optionalOrNull(AnyObject),
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
