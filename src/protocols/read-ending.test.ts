import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { endingOf } from '../conversation/answer.ts'
import { PROTOCOLS } from './index.ts'

const SUPPLY = { upstreamModel: 'm', route: 'r', outputTokenLimit: null }
const flag = fc.boolean()
const words = fc.constantFrom('', 'a word')

const chatMessage = fc.record(
  {
    content: words,
    refusal: fc.constantFrom(null, '', 'no'),
    tool_calls: fc.array(fc.record({ id: words, function: fc.constantFrom({}, { name: 'look' }) }), {
      maxLength: 2,
    }),
    function_call: fc.constantFrom(null, { name: 'look', arguments: '{}' }),
  },
  { requiredKeys: ['content'] },
)
const chatChoice = fc.record({
  // Absent: what its place in the list is.
  index: fc.constantFrom(undefined, undefined, undefined, 0, 2),
  message: chatMessage,
  finish_reason: fc.constantFrom(null, 'stop', 'length', 'tool_calls', 'content_filter', 'refusal', 'other'),
})
const chatReply = fc.record({
  id: words,
  choices: fc.array(chatChoice, { maxLength: 3 }),
  error: fc.constantFrom(null, null, null, {}),
})

const messagesReply = fc.record({
  id: words,
  content: fc.array(
    fc.constantFrom(
      { type: 'text', text: 'a' },
      { type: 'thinking', thinking: 'a' },
      { type: 'tool_use', id: 'toolu_1', name: 'look', input: {} },
      { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} },
    ),
    { maxLength: 3 },
  ),
  stop_reason: fc.constantFrom(null, 'end_turn', 'max_tokens', 'tool_use', 'pause_turn', 'refusal', 'new'),
})

const responsesReply = fc
  .record({ id: words, isCut: flag, isFiltered: flag, isCall: flag, isCustom: flag, isRefused: flag })
  .map(({ id, isCut, isFiltered, isCall, isCustom, isRefused }) => ({
    id,
    status: isCut ? 'incomplete' : 'completed',
    incomplete_details: isCut ? { reason: isFiltered ? 'content_filter' : 'max_output_tokens' } : null,
    output: [
      { type: 'reasoning', summary: [] },
      ...(isCall ? [{ type: 'function_call', call_id: 'call_1', name: 'look', arguments: '{}' }] : []),
      ...(isCustom ? [{ type: 'custom_tool_call', call_id: 'call_2', name: 'look', input: '' }] : []),
      {
        type: 'message',
        content: [isRefused ? { type: 'refusal', refusal: 'no' } : { type: 'output_text', text: 'a' }],
      },
    ],
  }))

const REPLIES: Readonly<Record<string, fc.Arbitrary<object>>> = {
  'chat-completion': chatReply,
  messages: messagesReply,
  responses: responsesReply,
}

test.each(PROTOCOLS.filter(({ supplier }) => supplier.readEnding !== undefined))(
  'the ending of a reply of $name is that of the decoded answer',
  ({ name, supplier }) => {
    const replies = REPLIES[name]
    if (replies === undefined) throw new Error(`there are no replies of ${name}`)
    let endings = 0
    fc.assert(
      fc.property(replies, (reply) => {
        const ending = supplier.readEnding?.(reply) ?? null
        const answer = supplier.decodeReply(reply, { ...SUPPLY, traits: supplier.traits })
        if (answer === null) expect(ending).toBeNull()
        else if (ending !== null) expect(ending).toEqual(endingOf(answer))
        endings += ending === null ? 0 : 1
      }),
    )
    expect(endings).toBeGreaterThan(10)
  },
)
