import Type from 'typebox'
import { OUTPUT_DETAILS, PROMPT_DETAILS, requestBody, UNIX_SECONDS_NOTE } from '../contract-notes.ts'
import type { FormatContract } from '../protocol.ts'
import { CompletionRequestSchema } from './schema.ts'

const Count = Type.Integer({ minimum: 0 })

const CompletionReplySchema = Type.Object({
  id: Type.String(),
  object: Type.Literal('text_completion'),
  created: Type.Integer({ description: UNIX_SECONDS_NOTE }),
  model: Type.String(),
  choices: Type.Array(
    Type.Object({
      text: Type.String(),
      index: Count,
      logprobs: Type.Optional(Type.Union([Type.Object({}), Type.Null()])),
      finish_reason: Type.String({ description: '`stop`, `length` or `content_filter`.' }),
    }),
  ),
  usage: Type.Optional(
    Type.Object({
      prompt_tokens: Count,
      completion_tokens: Count,
      total_tokens: Count,
      prompt_tokens_details: Type.Optional(Type.Object(PROMPT_DETAILS)),
      completion_tokens_details: Type.Optional(Type.Object(OUTPUT_DETAILS)),
    }),
  ),
})

const create: FormatContract = {
  id: 'createCompletion',
  tag: 'Completions',
  summary: 'Continue a text',
  description:
    'The older form of chat completions. Models without the capability `completions` are asked as in a conversation.',
  body: requestBody('CompletionRequest', CompletionRequestSchema, {
    model: 'sandbox-completion',
    prompt: 'Once upon a time',
    max_tokens: 64,
  }),
  answer: {
    description: 'The completions.',
    name: 'Completion',
    schema: CompletionReplySchema,
    example: {
      id: 'cmpl-0123456789abcdef',
      object: 'text_completion',
      created: 1_800_000_000,
      model: 'sandbox-completion',
      choices: [{ text: ' there was a gateway.', index: 0, logprobs: null, finish_reason: 'stop' }],
      usage: { prompt_tokens: 4, completion_tokens: 5, total_tokens: 9 },
    },
    stream:
      '`data:` lines with `text_completion` objects, then `data: [DONE]`. Usage comes in the last one when `stream_options.include_usage` is true.',
  },
}

export const contracts = { '/v1/completions': [create] } as const
