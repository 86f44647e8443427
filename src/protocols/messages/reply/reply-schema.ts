import Type, { type TSchema } from 'typebox'

const OrNull = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()])
const Count = Type.Integer({ minimum: 0 })

const TextBlock = Type.Object({
  type: Type.Literal('text'),
  text: Type.String(),
  citations: Type.Optional(OrNull(Type.Array(Type.Object({})))),
})
const ThinkingBlock = Type.Object({
  type: Type.Literal('thinking'),
  thinking: Type.String(),
  signature: Type.String({ description: 'Send it back with the next turn, unchanged.' }),
})
const ToolUseBlock = Type.Object({
  type: Type.Literal('tool_use'),
  id: Type.String(),
  name: Type.String(),
  input: Type.Object({}),
})
const OtherBlock = Type.Object({
  type: Type.String({ description: 'Skip kinds that you do not know.' }),
})

/** A whole message, for the API document. Suppliers may add fields. */
export const MessagesReplySchema = Type.Object({
  id: Type.String(),
  type: Type.Literal('message'),
  role: Type.Literal('assistant'),
  model: Type.String(),
  content: Type.Array(Type.Union([TextBlock, ThinkingBlock, ToolUseBlock, OtherBlock])),
  stop_reason: OrNull(
    Type.String({
      description: '`end_turn`, `max_tokens`, `tool_use`, `stop_sequence`, `refusal` or `pause_turn`.',
    }),
  ),
  stop_sequence: Type.Optional(OrNull(Type.String())),
  stop_details: Type.Optional(OrNull(Type.Object({}))),
  container: Type.Optional(OrNull(Type.Object({}))),
  context_management: Type.Optional(OrNull(Type.Object({}))),
  diagnostics: Type.Optional(OrNull(Type.Object({}))),
  usage: Type.Object({
    input_tokens: Type.Integer({ minimum: 0, description: 'Without cached tokens.' }),
    output_tokens: Count,
    cache_creation_input_tokens: Type.Optional(OrNull(Count)),
    cache_read_input_tokens: Type.Optional(OrNull(Count)),
    cache_creation: Type.Optional(
      OrNull(
        Type.Object(
          {
            ephemeral_5m_input_tokens: Type.Optional(Count),
            ephemeral_1h_input_tokens: Type.Optional(Count),
          },
          { description: 'The tokens written to the cache, by how long they are kept.' },
        ),
      ),
    ),
    server_tool_use: Type.Optional(OrNull(Type.Object({ web_search_requests: Type.Optional(Count) }))),
    service_tier: Type.Optional(OrNull(Type.String())),
    speed: Type.Optional(OrNull(Type.String())),
    inference_geo: Type.Optional(OrNull(Type.String())),
  }),
})

export const MessagesCountSchema = Type.Object({ input_tokens: Count })

/** Members this format adds around an error. */
export const messagesErrorFields = {
  type: Type.Literal('error'),
  request_id: Type.String({ description: 'The same as the `x-request-id` header.' }),
}
