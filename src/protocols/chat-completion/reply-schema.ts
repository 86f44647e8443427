import Type, { type TSchema } from 'typebox'
import { UNIX_SECONDS_NOTE } from '../contract-notes.ts'

const OrNull = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()])
const Count = Type.Integer({ minimum: 0 })

const Message = Type.Object({
  role: Type.Literal('assistant'),
  content: OrNull(Type.String()),
  refusal: Type.Optional(OrNull(Type.String())),
  reasoning_content: Type.Optional(
    OrNull(Type.String({ description: 'What the model thought aloud before it answered.' })),
  ),
  tool_calls: Type.Optional(
    OrNull(
      Type.Array(
        Type.Object({
          id: Type.String(),
          type: Type.String({ description: '`function`, or `custom` for a tool that takes plain text.' }),
          function: Type.Optional(
            Type.Object({
              name: Type.String(),
              arguments: Type.String({ description: 'The text of a JSON object.' }),
            }),
          ),
        }),
      ),
    ),
  ),
})

export const ChatUsageSchema = Type.Object({
  prompt_tokens: Count,
  completion_tokens: Count,
  total_tokens: Count,
  prompt_tokens_details: Type.Optional(Type.Object({ cached_tokens: Type.Optional(Count) })),
  completion_tokens_details: Type.Optional(Type.Object({ reasoning_tokens: Type.Optional(Count) })),
})

/** A whole chat completion, for readers: suppliers may add fields. */
export const ChatReplySchema = Type.Object({
  id: Type.String(),
  object: Type.Literal('chat.completion'),
  created: Type.Integer({ description: UNIX_SECONDS_NOTE }),
  model: Type.String(),
  choices: Type.Array(
    Type.Object({
      index: Count,
      message: Message,
      finish_reason: Type.String({
        description: '`stop`, `length`, `tool_calls`, `content_filter` or `function_call`.',
      }),
      logprobs: Type.Optional(OrNull(Type.Object({}))),
    }),
  ),
  usage: Type.Optional(ChatUsageSchema),
})
