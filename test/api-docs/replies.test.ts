import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { Compile } from 'typebox/compile'
import { ChatReplySchema } from '../../src/protocols/chat-completion/contract.ts'
import { chatCompletion } from '../../src/protocols/chat-completion/index.ts'
import { contentGeneration } from '../../src/protocols/content-generation/index.ts'
import { GenerateReplySchema } from '../../src/protocols/content-generation/reply/reply-schema.ts'
import { messages } from '../../src/protocols/messages/index.ts'
import { MessagesReplySchema } from '../../src/protocols/messages/reply/reply-schema.ts'
import { ResponsesReplySchema } from '../../src/protocols/responses/contract.ts'
import { responses } from '../../src/protocols/responses/index.ts'
import { arbitraryAnswer } from '../support/arbitrary-answer.ts'
import { replyContext } from '../support/translation-contexts.ts'

const turn = { model: 'public-1', messages: [{ role: 'user', content: 'Hello!' }] }

const FORMATS = [
  { protocol: chatCompletion, schema: ChatReplySchema, body: turn, rest: '' },
  {
    protocol: responses,
    schema: ResponsesReplySchema,
    body: { model: 'public-1', input: 'Hello!' },
    rest: '',
  },
  { protocol: messages, schema: MessagesReplySchema, body: { ...turn, max_tokens: 8 }, rest: '' },
  {
    protocol: contentGeneration,
    schema: GenerateReplySchema,
    body: { contents: [{ role: 'user', parts: [{ text: 'Hello!' }] }] },
    rest: 'public-1:generateContent',
  },
]

describe.each(FORMATS)('$protocol.name: the documented reply schema', ({ protocol, schema, body, rest }) => {
  test('fits every reply the gateway writes', () => {
    const query = new URLSearchParams()
    const { client } = protocol.readRequest(body, JSON.stringify(body), { rest, query })
    const checker = Compile(schema)
    fc.assert(
      fc.property(arbitraryAnswer(), (answer) => {
        const reply: unknown = JSON.parse(JSON.stringify(client?.encodeReply(answer, replyContext())))
        expect(checker.Errors(reply)).toEqual([])
      }),
    )
  })
})
