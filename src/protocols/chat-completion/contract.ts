import { oneOfKinds, requestBody } from '../contract-notes.ts'
import type { FormatContract } from '../protocol.ts'
import { ChatReplySchema } from './reply-schema.ts'
import { ChatRequestSchema, KNOWN_CALLS, KNOWN_PARTS, KNOWN_TOOLS } from './schema.ts'

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
    example: {
      id: 'chatcmpl-0123456789abcdef',
      object: 'chat.completion',
      created: 1_800_000_000,
      model: 'sandbox-chat',
      choices: [{ index: 0, message: { role: 'assistant', content: 'Hello!' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 },
    },
    stream:
      '`data:` lines with `chat.completion.chunk` objects, then `data: [DONE]`. Usage comes in the last chunk when `stream_options.include_usage` is true.',
  },
}

export const contracts = { '/v1/chat/completions': [create] } as const
