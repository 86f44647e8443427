import { describe, expect, test } from 'bun:test'
import { type AnswerPart, type Finish, type FinishReason, finishOf } from '../../../conversation/answer.ts'
import type { AnswerEvent } from '../../../conversation/answer-event.ts'
import { unfold } from '../../../conversation/fold.ts'
import { textPart } from '../../../conversation/part.ts'
import { openProof, type Proof, sealProof } from '../../../conversation/proof.ts'
import { NO_USAGE } from '../../../conversation/usage.ts'
import { GatewayError } from '../../../errors/gateway-error.ts'
import type { ReplyContext } from '../../translation.ts'
import { UNSIGNED_CALL } from '../parts.ts'
import { encodeReply } from '../reply/encode-reply.ts'
import { GenerationEncoder } from './encode-stream.ts'

const context: ReplyContext = {
  requestId: 'req_1',
  model: 'public-1',
  createdAtMs: 0,
  nowMs: () => 0,
  promptTokens: 7,
  newId: (prefix) => `${prefix}fresh`,
}
const NAME = { modelVersion: 'public-1', responseId: 'fresh' }
const USAGE = { ...NO_USAGE, input: 5, cacheRead: 3, cacheWrite: 2, output: 9, reasoning: 4 }
const PROOF: Proof = {
  origin: 'messages',
  model: 'deep',
  route: 'sup_1',
  on: 'thinking',
  value: 'v',
  itemId: null,
}

function answerOf(parts: readonly AnswerPart[], finish: Finish = finishOf('stop')) {
  return { id: 'secret-supplier-id', choices: [{ index: 0, parts, finish, logprobs: null }], usage: USAGE }
}

function stream(events: readonly AnswerEvent[]): object[] {
  const encoder = new GenerationEncoder(context, 'sse')
  const frames = events.map((event) => encoder.push(event)).join('')
  return [...frames.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data ?? ''))
}

function chunk(part: object) {
  return { candidates: [{ content: { role: 'model', parts: [part] }, index: 0 }], ...NAME }
}

const call = (input: string): AnswerPart => ({
  type: 'tool-call',
  id: 'call_1',
  name: 'f',
  kind: 'function',
  input,
  namespace: null,
  proof: null,
})

describe('an answer for a client of this format', () => {
  test('chunk by chunk', () => {
    const events: AnswerEvent[] = [
      { type: 'answer-start', id: 'secret-supplier-id' },
      { type: 'part-start', choice: 0, part: { type: 'thinking', text: '', proof: null, isRedacted: false } },
      { type: 'part-delta', choice: 0, text: 'hm' },
      { type: 'part-proof', choice: 0, proof: PROOF },
      { type: 'part-end', choice: 0 },
      { type: 'part-start', choice: 0, part: textPart('') },
      { type: 'part-delta', choice: 0, text: 'Hel' },
      { type: 'part-delta', choice: 0, text: '' },
      { type: 'part-delta', choice: 0, text: 'lo' },
      { type: 'part-end', choice: 0 },
      { type: 'part-start', choice: 0, part: call('') },
      { type: 'part-delta', choice: 0, text: '{"a"' },
      { type: 'part-delta', choice: 0, text: ':1}' },
      { type: 'part-end', choice: 0 },
      { type: 'choice-end', choice: 0, finish: finishOf('tool-call') },
      { type: 'usage', usage: USAGE },
      { type: 'answer-end' },
    ]
    const chunks = stream(events)
    const [, signature] = chunks as { candidates: { content: { parts: { thoughtSignature: string }[] } }[] }[]
    expect(openProof(signature?.candidates[0]?.content.parts[0]?.thoughtSignature ?? '')).toEqual(PROOF)
    expect(chunks).toEqual([
      chunk({ text: 'hm', thought: true }),
      chunk({ text: '', thought: true, thoughtSignature: expect.any(String) }),
      chunk({ text: 'Hel' }),
      chunk({ text: 'lo' }),
      chunk({
        functionCall: { id: 'call_1', name: 'f', args: { a: 1 } },
        thoughtSignature: sealProof(UNSIGNED_CALL),
      }),
      {
        candidates: [
          {
            content: { role: 'model', parts: [{ text: '' }] },
            finishReason: 'STOP',
            index: 0,
            safetyRatings: [],
          },
        ],
        usageMetadata: {
          promptTokenCount: 10,
          cachedContentTokenCount: 3,
          candidatesTokenCount: 5,
          thoughtsTokenCount: 4,
          totalTokenCount: 19,
        },
        ...NAME,
      },
    ])
  })

  test('whole', () => {
    const citation = { url: 'https://a.example', title: 'A', citedText: null, start: 1, end: 3 }
    const said = { ...textPart('aé😀'), citations: [citation], proof: PROOF }
    expect(encodeReply(answerOf([said]), context)).toMatchObject({
      candidates: [
        {
          content: { role: 'model', parts: [{ text: 'aé😀', thoughtSignature: expect.any(String) }] },
          finishReason: 'STOP',
          index: 0,
          safetyRatings: [],
          groundingMetadata: {
            groundingChunks: [{ web: { uri: 'https://a.example', title: 'A' } }],
            groundingSupports: [{ segment: { startIndex: 1 }, groundingChunkIndices: [0] }],
          },
        },
      ],
      ...NAME,
    })
  })

  test('has a part even when empty', () => {
    const reply = encodeReply(answerOf([]), context) as { candidates: { content: object }[] }
    expect(reply.candidates[0]?.content).toEqual({ role: 'model', parts: [{ text: '' }] })
  })

  test('reports broken arguments instead of inventing some', () => {
    for (const input of ['{"a":', '[1]', 'null', '"x"']) {
      const whole = encodeReply(answerOf([call(input)], finishOf('tool-call')), context)
      const streamed = stream(unfold(answerOf([call(input)], finishOf('tool-call')))).at(-1)
      for (const shown of [whole, streamed]) {
        const text = JSON.stringify(shown)
        expect(text).toContain('"finishReason":"MALFORMED_FUNCTION_CALL"')
        expect(text).not.toContain('"functionCall"')
      }
    }
    expect(JSON.stringify(encodeReply(answerOf([call('')]), context))).toContain('"args":{}')
  })

  test('has estimated usage when none is reported', () => {
    const answer = { ...answerOf([textPart('12345678')]), usage: null }
    const estimate = { promptTokenCount: 7, candidatesTokenCount: 2, totalTokenCount: 9 }
    expect(encodeReply(answer, context).usageMetadata).toEqual(estimate)
    expect(stream(unfold(answer)).at(-1)).toMatchObject({ usageMetadata: estimate })
  })

  test('hides an encrypted thought, which would look like a signature', () => {
    const hidden: AnswerPart = { type: 'thinking', text: '', proof: PROOF, isRedacted: true }
    expect(JSON.stringify(encodeReply(answerOf([hidden]), context))).not.toContain('thoughtSignature')
    expect(stream(unfold(answerOf([hidden])))).toHaveLength(1)
  })

  const reasons: readonly (readonly [FinishReason, string, string])[] = [
    ['stop', 'STOP', 'STOP'],
    ['stop-sequence', 'STOP', 'STOP'],
    ['tool-call', 'STOP', 'STOP'],
    ['pause', 'STOP', 'STOP'],
    ['length', 'MAX_TOKENS', 'MAX_TOKENS'],
    ['context-full', 'MAX_TOKENS', 'MAX_TOKENS'],
    ['filter', 'SAFETY', 'SAFETY'],
    ['refusal', 'STOP', 'SAFETY'],
    ['other', 'OTHER', 'OTHER'],
  ]
  for (const [reason, said, silent] of reasons) {
    test(`that ended by ${reason}`, () => {
      const wordFor = (parts: readonly AnswerPart[]) => {
        const reply = encodeReply(answerOf(parts, finishOf(reason)), context)
        return (reply.candidates as { finishReason: string }[])[0]?.finishReason
      }
      expect([wordFor([textPart('x')]), wordFor([])]).toEqual([said, silent])
    })
  }
})

describe('a failure', () => {
  const error = new GatewayError('provider_timeout', 'too slow')
  const started: AnswerEvent[] = [
    { type: 'answer-start', id: 'x' },
    { type: 'part-start', choice: 0, part: textPart('') },
    { type: 'part-delta', choice: 0, text: 'a' },
  ]

  test('is the last event', () => {
    const encoder = new GenerationEncoder(context, 'sse')
    for (const event of started) encoder.push(event)
    const frame = encoder.fail(error)
    expect(frame.startsWith('data: {"error":{"code":504,')).toBe(true)
    expect(frame).toContain('"status":"DEADLINE_EXCEEDED","type":"provider_timeout"')
    expect(encoder.push({ type: 'part-delta', choice: 0, text: 'b' })).toBe('')
    expect(encoder.push({ type: 'answer-end' })).toBe('')
    expect(encoder.fail(error)).toBe('')
  })

  test('closes the JSON array', () => {
    for (const events of [started, []]) {
      const encoder = new GenerationEncoder(context, 'json')
      const frames = events.map((event) => encoder.push(event)).join('')
      const list = JSON.parse(frames + encoder.fail(error))
      expect(list.at(-1).error.code).toBe(504)
    }
  })
})
