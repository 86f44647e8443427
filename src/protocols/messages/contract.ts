import type { Parameter } from '../../vocabulary/runtime/contract.ts'
import { oneOfKinds, requestBody } from '../contract-notes.ts'
import type { FormatContract } from '../protocol.ts'
import { MessagesCountSchema, MessagesReplySchema, messagesErrorFields } from './reply/reply-schema.ts'
import * as requests from './request/schema.ts'

const VERSION: Parameter = {
  name: 'anthropic-version',
  in: 'header',
  description: 'Sent on to suppliers of this format. `vendor-version` is accepted and ignored.',
}

const BETAS: Parameter = {
  name: 'anthropic-beta',
  in: 'header',
  description:
    'Beta features, with commas between them. Sent on to suppliers of this format, except those that reach into their account or are charged apart.',
}

const common = {
  tag: 'Messages',
  parameters: [VERSION, BETAS],
  errorBody: { name: 'MessagesError', fields: messagesErrorFields },
} as const

const prompt = { model: 'sandbox-chat', messages: [{ role: 'user', content: 'Hello!' }] }

const create: FormatContract = {
  ...common,
  id: 'createMessage',
  summary: 'Answer a conversation',
  body: {
    ...requestBody('MessageRequest', requests.MessagesRequestSchema, { ...prompt, max_tokens: 256 }),
    kinds: {
      MessageBlock: oneOfKinds(requests.KNOWN_BLOCKS),
      MessageTool: oneOfKinds({ custom: requests.ClientToolSchema }),
    },
  },
  answer: {
    description: 'The answer.',
    name: 'Message',
    schema: MessagesReplySchema,
    example: {
      id: 'msg_0123456789abcdef',
      type: 'message',
      role: 'assistant',
      model: 'sandbox-chat',
      content: [{ type: 'text', text: 'Hello!' }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: { input_tokens: 9, output_tokens: 2 },
    },
    stream: 'Events from `message_start` to `message_stop`, with occasional `ping` events.',
  },
}

const count: FormatContract = {
  ...common,
  id: 'countMessageTokens',
  summary: 'Count the tokens of a prompt',
  isCount: true,
  body: requestBody('MessageCountRequest', requests.CountRequestSchema, prompt),
  answer: {
    description: "The supplier's count, or the gateway's estimate.",
    name: 'MessageTokens',
    schema: MessagesCountSchema,
    example: { input_tokens: 9 },
  },
}

export const contracts = { '/v1/messages': [create], '/v1/messages/count_tokens': [count] } as const
