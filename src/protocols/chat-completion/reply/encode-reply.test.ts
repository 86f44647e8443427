import { describe, expect, test } from 'bun:test'
import { replyContext } from '../../../../test/support/translation-contexts.ts'
import {
  type Answer,
  type AnswerPart,
  type Finish,
  type FinishReason,
  finishOf,
} from '../../../conversation/answer.ts'
import { unfold } from '../../../conversation/fold.ts'
import { textPart } from '../../../conversation/part.ts'
import { openProof, type Proof } from '../../../conversation/proof.ts'
import { ChatStreamEncoder } from '../stream/encode-stream.ts'
import { encodeReply, type ReplyOptions } from './encode-reply.ts'

const PLAIN: ReplyOptions = { wantsFunctionCall: false, wantsUsage: false }

const answerOf = (parts: readonly AnswerPart[], finish: Finish = finishOf('stop')): Answer => ({
  id: 'up_1',
  choices: [{ index: 0, parts, finish, logprobs: null }],
  usage: null,
})

function choiceOf(answer: Answer, options = PLAIN): Record<string, unknown> {
  const { choices } = encodeReply(answer, replyContext(), options) as { choices: Record<string, unknown>[] }
  return choices[0] ?? {}
}

const messageOf = (parts: readonly AnswerPart[], finish?: Finish) => choiceOf(answerOf(parts, finish)).message
const OPENING = { role: 'assistant', content: null, refusal: null }
const BARE = { ...OPENING, annotations: [] }

const call: AnswerPart = {
  type: 'tool-call',
  id: 'call_1',
  name: 'f',
  kind: 'function',
  input: '{"x":1}',
  namespace: null,
  proof: null,
}

test('has every member of a reply', () => {
  const usage = { input: 3, cacheRead: 2, cacheWrite: 1, output: 7, reasoning: 4, images: 0 }
  expect(encodeReply({ ...answerOf([textPart('hi')]), usage }, replyContext(), PLAIN)).toEqual({
    id: 'chatcmpl-000000000000000000000001',
    object: 'chat.completion',
    created: 1_763_200_000,
    model: 'public-1',
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: 'hi', refusal: null, annotations: [] },
        logprobs: null,
        finish_reason: 'stop',
      },
    ],
    usage: {
      prompt_tokens: 6,
      completion_tokens: 7,
      total_tokens: 13,
      prompt_tokens_details: { cached_tokens: 2, cache_write_tokens: 1 },
      completion_tokens_details: { reasoning_tokens: 4 },
    },
  })
})

describe('messages', () => {
  test('with calls have null content unless there is text', () => {
    const tool_calls = [{ id: 'call_1', type: 'function', function: { name: 'f', arguments: '{"x":1}' } }]
    expect(messageOf([call])).toEqual({ ...BARE, tool_calls })
    expect(messageOf([textPart('a'), call, textPart('b')])).toEqual({ ...BARE, content: 'ab', tool_calls })
  })

  test('without parts have empty content', () => expect(messageOf([])).toEqual({ ...BARE, content: '' }))

  test('a call without input has an empty object', () =>
    expect(messageOf([{ ...call, input: '' }])).toMatchObject({
      tool_calls: [{ function: { arguments: '{}' } }],
    }))

  test('a custom call has its text', () =>
    expect(messageOf([{ ...call, kind: 'custom', input: '' }])).toMatchObject({
      tool_calls: [{ type: 'custom', custom: { name: 'f', input: '' } }],
    }))

  test('a signed call carries the sealed signature', () => {
    const proof: Proof = {
      origin: 'content-generation',
      model: 'm',
      route: 'r',
      on: 'tool-call',
      value: 'v',
      itemId: null,
    }
    const message = messageOf([{ ...call, proof }]) as {
      tool_calls: { extra_content: { google: { thought_signature: string } } }[]
    }
    expect(openProof(message.tool_calls[0]?.extra_content.google.thought_signature ?? '')).toEqual(proof)
  })

  test('thinking parts are joined, and empty ones skipped', () => {
    const thought = (text: string): AnswerPart => ({ type: 'thinking', text, proof: null, isRedacted: false })
    expect(messageOf([thought('a'), thought(''), textPart('x'), thought('b')])).toEqual({
      ...BARE,
      content: 'x',
      reasoning_content: 'a\n\nb',
    })
  })

  test('citations count from the start of the message', () => {
    const cited = (text: string, start: number | null, end: number | null): AnswerPart => ({
      ...textPart(text),
      citations: [{ url: 'https://e.example', title: null, citedText: null, start, end }],
    })
    const annotation = (start_index: number, end_index: number) => ({
      type: 'url_citation',
      url_citation: { start_index, end_index, title: '', url: 'https://e.example' },
    })
    expect(messageOf([cited('abc', null, null), cited('de', 1, 2)])).toEqual({
      ...BARE,
      content: 'abcde',
      annotations: [annotation(0, 3), annotation(4, 5)],
    })
  })

  test('images are data URLs in `images`', () =>
    expect(
      messageOf([
        {
          type: 'image',
          source: { type: 'base64', mediaType: 'image/png', data: 'AAAA' },
          detail: null,
          cache: null,
        },
      ]),
    ).toEqual({
      ...BARE,
      content: '',
      images: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }],
    }))

  test('log probabilities include the bytes of each token', () => {
    const answer = answerOf([textPart('é')])
    const [choice] = answer.choices
    if (choice === undefined) throw new Error('no choice')
    const logprobs = [{ token: 'é', logprob: -1, top: [{ token: 'e', logprob: -2 }] }]
    expect(choiceOf({ ...answer, choices: [{ ...choice, logprobs }] }).logprobs).toEqual({
      content: [
        {
          token: 'é',
          logprob: -1,
          bytes: [195, 169],
          top_logprobs: [{ token: 'e', logprob: -2, bytes: [101] }],
        },
      ],
      refusal: null,
    })
  })
})

describe('finish reasons', () => {
  const words: readonly (readonly [FinishReason, string])[] = [
    ['stop', 'stop'],
    ['stop-sequence', 'stop'],
    ['length', 'length'],
    ['context-full', 'length'],
    ['tool-call', 'tool_calls'],
    ['filter', 'content_filter'],
    ['pause', 'stop'],
    ['other', 'stop'],
    ['refusal', 'content_filter'],
  ]
  test.each(words)('%s is %s', (reason, word) =>
    expect(choiceOf(answerOf([textPart('x')], finishOf(reason))).finish_reason).toBe(word),
  )

  test('a refusal with text ends with stop', () => {
    const inWords = choiceOf(answerOf([{ type: 'refusal', text: 'no' }], finishOf('refusal')))
    expect(inWords).toMatchObject({ message: { content: null, refusal: 'no' }, finish_reason: 'stop' })
    const explained = choiceOf(answerOf([], { reason: 'refusal', stopSequence: null, explanation: 'policy' }))
    expect(explained).toMatchObject({ message: { content: null, refusal: 'policy' }, finish_reason: 'stop' })
  })
})

describe('a client of the deprecated functions', () => {
  const options: ReplyOptions = { wantsFunctionCall: true, wantsUsage: false }
  const answer = answerOf([call, { ...call, id: 'call_2', name: 'g' }], finishOf('tool-call'))

  test('gets one function_call', () => {
    const { message, finish_reason } = choiceOf(answer, options)
    expect(message).toEqual({ ...BARE, function_call: { name: 'f', arguments: '{"x":1}' } })
    expect(finish_reason).toBe('function_call')
  })

  test('gets one function_call in a stream', () => {
    const encoder = new ChatStreamEncoder(replyContext(), options)
    const text = unfold(answer)
      .map((event) => encoder.push(event))
      .join('')
    const deltas = [...text.matchAll(/"delta":(\{.*?\}),"logprobs"/g)].map(([, delta]) =>
      JSON.parse(delta ?? ''),
    )
    expect(deltas).toEqual([
      OPENING,
      { function_call: { name: 'f', arguments: '' } },
      { function_call: { arguments: '{"x":1}' } },
      {},
    ])
    expect(text).toContain('"finish_reason":"function_call"')
  })
})
