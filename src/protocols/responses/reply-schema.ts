import Type, { type TSchema } from 'typebox'
import { UNIX_SECONDS_NOTE } from '../contract-notes.ts'

const OrNull = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()])
const Count = Type.Integer({ minimum: 0 })
const status = { status: Type.Optional(Type.Enum(['in_progress', 'completed', 'incomplete'])) }

const MessageItem = Type.Object({
  type: Type.Literal('message'),
  id: Type.String(),
  ...status,
  role: Type.Literal('assistant'),
  content: Type.Array(
    Type.Object({
      type: Type.String({ description: '`output_text` or `refusal`.' }),
      text: Type.Optional(Type.String()),
      refusal: Type.Optional(Type.String()),
    }),
  ),
})
const CallItem = Type.Object({
  type: Type.Literal('function_call'),
  id: Type.Optional(Type.String()),
  ...status,
  call_id: Type.String(),
  name: Type.String(),
  arguments: Type.String({ description: 'The text of a JSON object.' }),
})
const ReasoningItem = Type.Object({
  type: Type.Literal('reasoning'),
  id: Type.String(),
  summary: Type.Array(Type.Object({ type: Type.String(), text: Type.String() })),
  encrypted_content: Type.Optional(
    OrNull(Type.String({ description: 'A signature to send back with the next turn.' })),
  ),
})
const OtherItem = Type.Object({
  type: Type.String({ description: 'Other kinds exist; skip those you do not know.' }),
})

/** A whole response, for readers: suppliers may add fields. */
export const ResponsesReplySchema = Type.Object({
  id: Type.String(),
  object: Type.Literal('response'),
  created: Type.Integer({ description: UNIX_SECONDS_NOTE }),
  created_at: Type.Integer({ description: 'The same as `created`.' }),
  model: Type.String(),
  status: Type.String({ description: '`completed`, `incomplete`, `failed` or `in_progress`.' }),
  output: Type.Array(Type.Union([MessageItem, CallItem, ReasoningItem, OtherItem])),
  error: Type.Optional(OrNull(Type.Object({}))),
  incomplete_details: Type.Optional(
    OrNull(
      Type.Object({ reason: Type.Optional(Type.String({ description: 'Such as `max_output_tokens`.' })) }),
    ),
  ),
  previous_response_id: Type.Optional(OrNull(Type.String())),
  usage: Type.Optional(
    OrNull(
      Type.Object({
        input_tokens: Count,
        output_tokens: Count,
        total_tokens: Count,
        input_tokens_details: Type.Optional(Type.Object({ cached_tokens: Type.Optional(Count) })),
        output_tokens_details: Type.Optional(Type.Object({ reasoning_tokens: Type.Optional(Count) })),
      }),
    ),
  ),
})

export const InputTokensSchema = Type.Object({
  object: Type.Literal('response.input_tokens'),
  input_tokens: Count,
})

export const InputItemListSchema = Type.Object({
  object: Type.Literal('list'),
  has_more: Type.Boolean(),
  first_id: OrNull(Type.String()),
  last_id: OrNull(Type.String()),
  data: Type.Array(Type.Object({ id: Type.String() })),
})

export const DeletedResponseSchema = Type.Object({
  id: Type.String(),
  object: Type.Literal('response'),
  deleted: Type.Literal(true),
})
