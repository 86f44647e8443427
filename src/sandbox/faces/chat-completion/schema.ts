import { type Static, Type } from 'typebox'
import { refuseShape } from '../openai-style.ts'
import { createCheck, Literals, Nullable, Tagged } from '../shape.ts'

const ContentPart = Type.Object({
  type: Literals('text', 'image_url', 'refusal'),
  text: Type.Optional(Type.String()),
  image_url: Type.Optional(Type.Object({ url: Type.String() })),
})

const ToolCall = Type.Object({
  id: Type.String(),
  type: Literals('function', 'custom'),
  function: Type.Optional(Type.Object({ name: Type.String(), arguments: Type.String() })),
  custom: Type.Optional(Type.Object({ name: Type.String(), input: Type.String() })),
})

const Message = Type.Object({
  role: Literals('system', 'developer', 'user', 'assistant', 'tool'),
  content: Nullable(Type.Union([Type.String(), Type.Array(ContentPart)])),
  tool_calls: Nullable(Type.Array(ToolCall)),
  tool_call_id: Type.Optional(Type.String()),
})

const NamedTool = Type.Object({
  type: Literals('function', 'custom'),
  function: Type.Optional(Type.Object({ name: Type.String() })),
  custom: Type.Optional(Type.Object({ name: Type.String() })),
})

const ToolDefinition = Type.Object({
  type: Literals('function', 'custom'),
  function: Type.Optional(
    Type.Object({
      name: Type.String({ pattern: '^[A-Za-z0-9_-]{1,64}$' }),
      parameters: Type.Optional(Type.Unknown()),
    }),
  ),
  custom: Type.Optional(Type.Object({ name: Type.String() })),
})

const AllowedTools = Tagged('allowed_tools', {
  allowed_tools: Type.Object({ mode: Literals('auto', 'required'), tools: Type.Array(NamedTool) }),
})

const ChatRequest = Type.Object({
  model: Type.String({ minLength: 1 }),
  messages: Type.Array(Message, { minItems: 1 }),
  stream: Nullable(Type.Boolean()),
  stream_options: Nullable(Type.Object({ include_usage: Nullable(Type.Boolean()) })),
  max_tokens: Nullable(Type.Integer({ minimum: 1 })),
  max_completion_tokens: Nullable(Type.Integer({ minimum: 1 })),
  temperature: Nullable(Type.Number({ minimum: 0, maximum: 2 })),
  top_p: Nullable(Type.Number({ minimum: 0, maximum: 1 })),
  n: Nullable(Type.Integer({ minimum: 1, maximum: 128 })),
  stop: Nullable(Type.Union([Type.String(), Type.Array(Type.String(), { maxItems: 4 })])),
  tools: Nullable(Type.Array(ToolDefinition)),
  tool_choice: Nullable(Type.Union([Literals('none', 'auto', 'required'), NamedTool, AllowedTools])),
  parallel_tool_calls: Nullable(Type.Boolean()),
  reasoning_effort: Nullable(Type.String()),
  response_format: Nullable(
    Type.Object({
      type: Literals('text', 'json_object', 'json_schema'),
      json_schema: Type.Optional(Type.Object({ name: Type.String(), schema: Type.Optional(Type.Unknown()) })),
    }),
  ),
})

export type ChatRequest = Static<typeof ChatRequest>
export type ChatMessage = Static<typeof Message>
export type ChatToolCall = Static<typeof ToolCall>
export type ChatToolDefinition = Static<typeof ToolDefinition>

export const checkRequest = createCheck(ChatRequest, refuseShape)
