import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  type ArbitraryOptions,
  arbitraryStreamedAnswer,
} from '../../../../test/support/arbitrary-conversation.ts'
import { grammarFaults } from '../../../../test/support/normal-form.ts'
import type { Answer, AnswerPart } from '../../../conversation/answer.ts'
import type { AnswerEvent } from '../../../conversation/answer-event.ts'
import { fold, unfold } from '../../../conversation/fold.ts'
import { openProof, type Proof } from '../../../conversation/proof.ts'
import { GatewayError } from '../../../errors/gateway-error.ts'
import { asArray, asObject, type JsonObject } from '../../../wire/json-values.ts'
import type { ReplyContext } from '../../translation.ts'
import { decodeReply } from '../reply/decode-reply.ts'
import { encodeReply } from '../reply/encode-reply.ts'
import { MessagesStreamDecoder } from './decode-stream.ts'
import { MessagesStreamEncoder } from './encode-stream.ts'

const ORIGIN = { upstreamModel: 'deep-1', route: 'sup_1' }
const CONTEXT: ReplyContext = {
  requestId: 'req_1',
  model: 'public-1',
  createdAtMs: 1_763_200_000_000,
  nowMs: () => 1_763_200_000_000,
  promptTokens: 11,
  newId: (prefix) => `${prefix}fresh`,
}

// A call's signature becomes a thought, a text's is dropped, images have no block in this format, and its
// clients define neither free-text tools nor groups.
const OPTIONS: ArbitraryOptions = {
  without: ['call-proofs', 'text-proofs', 'images', 'many-choices', 'logprobs', 'custom-tools', 'namespaces'],
}

function encode(events: readonly AnswerEvent[]): string {
  const encoder = new MessagesStreamEncoder(CONTEXT)
  return events.map((event) => encoder.push(event)).join('')
}

function decode(stream: string): readonly AnswerEvent[] {
  const decoder = new MessagesStreamDecoder(ORIGIN)
  const events = [...decoder.push(new TextEncoder().encode(stream)), ...decoder.end()]
  expect(decoder.failure).toBeNull()
  return events
}

interface Frame {
  readonly name: string
  readonly data: JsonObject
}

function framesOf(stream: string): readonly Frame[] {
  return stream
    .split('\n\n')
    .slice(0, -1)
    .map((frame) => {
      const [, name = '', data = ''] = /^event: (\w+)\ndata: (.*)$/.exec(frame) ?? []
      return { name, data: asObject(JSON.parse(data)) ?? {} }
    })
}

/** The expected part: signatures are opened, refusals become text, citation offsets are lost. */
function expectedPart(part: AnswerPart): AnswerPart {
  if (part.type === 'refusal')
    return { type: 'text', text: part.text, cache: null, citations: [], proof: null }
  if (part.type !== 'text') return part
  return { ...part, citations: part.citations.map((each) => ({ ...each, start: null, end: null })) }
}

/** Signatures in a reply are sealed envelopes around the supplier's own. */
function opened(part: AnswerPart): AnswerPart {
  if (part.type !== 'thinking' || part.proof === null) return part
  const inner = openProof(part.proof.value)
  return { ...part, proof: inner?.origin === 'none' ? null : inner }
}

function openedParts({ choices }: Answer): readonly AnswerPart[] {
  return choices[0]?.parts.map(opened) ?? []
}

describe('laws', () => {
  test('decodes the stream and the whole reply to the same answer', () => {
    fc.assert(
      fc.property(arbitraryStreamedAnswer(OPTIONS), ({ answer, events }) => {
        const streamed = decode(encode(events))
        expect(grammarFaults(streamed)).toEqual([])
        const reply = JSON.parse(JSON.stringify(encodeReply(answer, CONTEXT)))
        expect(fold(streamed)).toEqual(decodeReply(reply, ORIGIN) ?? fold([]))
      }),
      { numRuns: 120, seed: 31 },
    )
  })

  test('restores an answer as far as the format supports it', () => {
    fc.assert(
      fc.property(arbitraryStreamedAnswer(OPTIONS), ({ answer, events }) => {
        const back = fold(decode(encode(events)))
        const [choice] = answer.choices
        expect(openedParts(back)).toEqual(choice?.parts.map(expectedPart) ?? [])
        const reason = choice?.finish.reason === 'refusal' ? 'filter' : choice?.finish.reason
        expect(back.choices[0]?.finish).toEqual({
          reason: reason === 'other' ? 'stop' : (reason ?? 'other'),
          stopSequence: choice?.finish.stopSequence ?? null,
          explanation: choice?.finish.explanation ?? null,
        })
        if (answer.usage !== null) expect(back.usage).toEqual(answer.usage)
      }),
      { numRuns: 120, seed: 32 },
    )
  })

  test('balances and numbers blocks, and gives every call input that parses', () => {
    fc.assert(
      fc.property(arbitraryStreamedAnswer({ without: ['custom-tools'] }), ({ events }) => {
        const frames = framesOf(encode(events))
        for (const { name, data } of frames) expect(data.type).toBe(name)
        expect(frames[0]?.name).toBe('message_start')
        expect(frames.slice(-2).map(({ name }) => name)).toEqual(['message_delta', 'message_stop'])
        expect(frames.filter(({ name }) => name.startsWith('message_'))).toHaveLength(3)
        expect(blocksOf(frames).every(isSoundBlock)).toBe(true)
      }),
      { numRuns: 120, seed: 33 },
    )
  })
})

interface Block {
  readonly opening: JsonObject
  input: string
}

/** Reads the blocks as an official client does, and fails where it would. */
function blocksOf(frames: readonly Frame[]): readonly Block[] {
  const blocks: Block[] = []
  let isOpen = false
  for (const { name, data } of frames.slice(1, -2)) {
    expect(data.index).toBe(name === 'content_block_start' ? blocks.length : blocks.length - 1)
    expect(isOpen).toBe(name !== 'content_block_start')
    if (name === 'content_block_start')
      blocks.push({ opening: asObject(data.content_block) ?? {}, input: '' })
    isOpen = name !== 'content_block_stop'
    const last = blocks.at(-1)
    const delta = asObject(data.delta)
    if (last && typeof delta?.partial_json === 'string') last.input += delta.partial_json
  }
  expect(isOpen).toBe(false)
  return blocks
}

function isSoundBlock({ opening, input }: Block): boolean {
  return opening.type !== 'tool_use' || asObject(JSON.parse(input)) !== null
}

describe('single answers', () => {
  const answerOf = (...parts: AnswerPart[]): Answer => ({
    id: 'resp_1',
    usage: null,
    choices: [
      { index: 0, parts, finish: { reason: 'stop', stopSequence: null, explanation: null }, logprobs: null },
    ],
  })
  const call = (input: string, proof: Proof | null = null): AnswerPart => ({
    type: 'tool-call',
    id: 'call_1',
    name: 'f',
    kind: 'function',
    input,
    namespace: null,
    proof,
  })
  const signed: Proof = {
    origin: 'content-generation',
    model: 'g',
    route: 's',
    on: 'tool-call',
    value: 'SIG',
    itemId: null,
  }

  test('sends the prompt estimate in the first event and the totals in the last but one', () => {
    const usage = { input: 5, cacheRead: 2, cacheWrite: 1, output: 9, reasoning: 4, images: 0 }
    const frames = framesOf(encode(unfold({ ...answerOf(), usage })))
    expect(frames[0]?.data.message).toMatchObject({
      id: 'msg_fresh',
      model: 'public-1',
      content: [],
      usage: { input_tokens: 11, output_tokens: 0 },
    })
    expect(frames.at(-2)?.data.usage).toEqual({
      input_tokens: 5,
      cache_read_input_tokens: 2,
      cache_creation_input_tokens: 1,
      output_tokens: 9,
      output_tokens_details: { thinking_tokens: 4 },
      cache_creation: null,
      server_tool_use: null,
      service_tier: null,
      speed: null,
      inference_geo: null,
      iterations: null,
      fallback_credit: null,
    })
  })

  test('ends a call with tool_use, and sends {} for empty input', () => {
    const frames = framesOf(encode(unfold(answerOf(call('')))))
    expect(frames.map(({ name }) => name)).toEqual([
      'message_start',
      'content_block_start',
      'content_block_delta',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ])
    expect(frames[2]?.data.delta).toEqual({ type: 'input_json_delta', partial_json: '{}' })
    expect(asObject(frames[4]?.data.delta)?.stop_reason).toBe('tool_use')
    expect(encodeReply(answerOf(call('')), CONTEXT)).toMatchObject({
      stop_reason: 'tool_use',
      content: [{ type: 'tool_use', id: 'call_1', name: 'f', input: {} }],
    })
  })

  test('sends the signature of a call in an empty thought before it', () => {
    const content = asArray(encodeReply(answerOf(call('{"a":1}', signed)), CONTEXT).content).map(asObject)
    expect(content).toMatchObject([
      { type: 'thinking', thinking: '' },
      { type: 'tool_use', input: { a: 1 } },
    ])
    expect(openProof(String(content[0]?.signature))).toEqual(signed)
    const streamed = fold(decode(encode(unfold(answerOf(call('{"a":1}', signed))))))
    expect(openedParts(streamed)).toMatchObject([
      { type: 'thinking', text: '', proof: signed },
      call('{"a":1}'),
    ])
  })

  test('gives an unsigned thought a placeholder signature', () => {
    const [thought] = asArray(
      encodeReply(answerOf({ type: 'thinking', text: 'hm', proof: null, isRedacted: false }), CONTEXT)
        .content,
    )
    expect(openProof(String(asObject(thought)?.signature))?.origin).toBe('none')
  })

  test('keeps input that is not an object, in a whole reply as _raw', () => {
    const [block] = asArray(encodeReply(answerOf(call('{"a":')), CONTEXT).content)
    expect(asObject(block)?.input).toEqual({ _raw: '{"a":' })
  })

  test('encodes no block for an empty answer or an image', () => {
    const image: AnswerPart = {
      type: 'image',
      source: { type: 'url', url: 'https://a.example/x.png', mediaType: null },
      detail: null,
      cache: null,
    }
    const empty: AnswerPart = { type: 'text', text: '', cache: null, citations: [], proof: null }
    expect(framesOf(encode(unfold(answerOf(empty, image)))).map(({ name }) => name)).toEqual([
      'message_start',
      'message_delta',
      'message_stop',
    ])
    expect(encodeReply(answerOf(empty, image), CONTEXT).content).toEqual([])
  })

  // Some clients reject null instead of a list.
  test('sends an empty list of citations for text without any', () => {
    const answer = answerOf({ type: 'text', text: 'Hi', cache: null, citations: [], proof: null })
    expect(encodeReply(answer, CONTEXT).content).toEqual([{ type: 'text', text: 'Hi', citations: [] }])
    expect(encode(unfold(answer))).toContain('"content_block":{"type":"text","text":"","citations":[]}')
  })

  test("keeps hosted tool blocks of this format and drops another format's", () => {
    const value = { type: 'server_tool_use', id: 'srv', name: 'web_search', input: { query: 'x' } }
    const opaque = (format: string): AnswerPart => ({
      type: 'opaque',
      format,
      kind: 'server_tool_use',
      value,
    })
    const answer = answerOf(opaque('messages'), opaque('responses'))
    expect(encodeReply(answer, CONTEXT).content).toEqual([value])
    expect(fold(decode(encode(unfold(answer)))).choices[0]?.parts).toEqual([opaque('messages')])
  })

  test('drops all choices but the first', () => {
    const events = unfold(answerOf(call('{}')))
    const others = events.map((event) => ('choice' in event ? { ...event, choice: 1 } : event))
    expect(framesOf(encode(others))).toHaveLength(3)
  })
})

test('ends a failed stream with one error event', () => {
  const encoder = new MessagesStreamEncoder(CONTEXT)
  encoder.push({ type: 'answer-start', id: 'x' })
  const failed = encoder.fail(new GatewayError('provider_error', 'The supplier failed.\nBadly.'))
  expect(failed).toBe(
    'event: error\ndata: {"type":"error","error":{"message":"The supplier failed.\\nBadly.","type":"provider_error","code":"provider_error","param":null},"request_id":"req_1"}\n\n',
  )
  expect(encoder.push({ type: 'answer-end' })).toBe('')
  expect(encoder.fail(new GatewayError('provider_error', 'Again.'))).toBe('')
})
