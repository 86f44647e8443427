import { describe, expect, test } from 'bun:test'
import { type Answer, finishOf } from '../../conversation/answer.ts'
import { unfold } from '../../conversation/fold.ts'
import { textPart } from '../../conversation/part.ts'
import type { Proof } from '../../conversation/proof.ts'
import { readRequest } from './request/read-request.ts'

const PROOF: Proof = {
  origin: 'responses',
  model: 'm',
  route: 'r',
  on: 'tool-call',
  value: 'SIG',
  itemId: null,
}
const CONTEXT = {
  requestId: 'req_1',
  model: 'm',
  createdAtMs: 0,
  nowMs: () => 0,
  promptTokens: 1,
  newId: (prefix: string) => `${prefix}1`,
}

const ANSWER: Answer = {
  id: 'a',
  choices: [
    {
      index: 0,
      parts: [
        { type: 'thinking', text: 'Hm.', proof: PROOF, isRedacted: false },
        { type: 'thinking', text: '', proof: PROOF, isRedacted: true },
        textPart('Yes.'),
        {
          type: 'tool-call',
          id: 'c1',
          name: 'n',
          kind: 'function',
          input: '{}',
          namespace: null,
          proof: PROOF,
        },
      ],
      finish: finishOf('tool-call'),
      logprobs: null,
    },
  ],
  usage: null,
}

function kindsFor(thinking: object | undefined): [whole: string[], streamed: string[]] {
  const body = { model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'hi' }], thinking }
  const { client } = readRequest(body, JSON.stringify(body))
  const { content } = client.encodeReply(ANSWER, CONTEXT) as { content: { type: string }[] }
  const encoder = client.openEncoder(CONTEXT)
  const frames = unfold(ANSWER).map((event) => encoder.push(event))
  const events = frames
    .join('')
    .split('\n')
    .filter((line) => line.startsWith('data: '))
  const starts = events
    .map((line) => JSON.parse(line.slice('data: '.length)))
    .filter(({ type }) => type === 'content_block_start')
  expect(starts.map(({ index }) => index)).toEqual(starts.map((_, index) => index))
  return [content.map(({ type }) => type), starts.map(({ content_block }) => content_block.type)]
}

describe('thoughts in a translated answer', () => {
  const all = ['thinking', 'redacted_thinking', 'text', 'thinking', 'tool_use']

  test.each([{ type: 'adaptive' }, { type: 'enabled', budget_tokens: 1024 }, { type: 'between_tools' }])(
    'are there for a client that asks with %j',
    (thinking) => {
      expect(kindsFor(thinking)).toEqual([all, all])
    },
  )

  test.each([[undefined], [{ type: 'disabled' }]])('are not there for one with %j', (thinking) => {
    const plain = ['text', 'tool_use']
    expect(kindsFor(thinking)).toEqual([plain, plain])
  })
})
