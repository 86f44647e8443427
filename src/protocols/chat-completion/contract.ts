import Type, { type TSchema } from 'typebox'
import {
  OUTPUT_DETAILS,
  oneOfKinds,
  PROMPT_DETAILS,
  requestBody,
  UNIX_SECONDS_NOTE,
} from '../contract-notes.ts'
import type { FormatContract } from '../protocol.ts'
import { ChatRequestSchema, KNOWN_CALLS, KNOWN_PARTS, KNOWN_TOOLS } from './schema.ts'

const OrNull = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()])
const Count = Type.Integer({ minimum: 0 })

const Message = Type.Object({
  role: Type.Literal('assistant'),
  content: OrNull(Type.String()),
  refusal: Type.Optional(OrNull(Type.String())),
  reasoning_content: Type.Optional(
    OrNull(Type.String({ description: 'The thinking of the model before the answer.' })),
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
  prompt_tokens_details: Type.Optional(Type.Object(PROMPT_DETAILS)),
  completion_tokens_details: Type.Optional(Type.Object(OUTPUT_DETAILS)),
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

export const CHAT_EXAMPLE = {
  id: 'chatcmpl-0123456789abcdef',
  object: 'chat.completion',
  created: 1_800_000_000,
  model: 'sandbox-chat',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hello!' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 },
} as const

const create: FormatContract = {
  id: 'createChatCompletion',
  tag: 'Chat completions',
  summary: 'Answer a conversation',
  body: {
    ...requestBody('ChatCompletionRequest', ChatRequestSchema, {
      model: 'sandbox-chat',
      messages: [{ role: 'user', content: 'Hello!' }],
    }),
    kinds: {
      ChatContentPart: oneOfKinds(KNOWN_PARTS),
      ChatToolCall: oneOfKinds(KNOWN_CALLS),
      ChatTool: oneOfKinds(KNOWN_TOOLS),
    },
  },
  answer: {
    description: 'The answer.',
    name: 'ChatCompletion',
    schema: ChatReplySchema,
    example: CHAT_EXAMPLE,
    stream:
      '`data:` lines with `chat.completion.chunk` objects, then `data: [DONE]`. Usage comes in the last chunk when `stream_options.include_usage` is true.',
  },
}

export const contracts = { '/v1/chat/completions': [create] } as const
