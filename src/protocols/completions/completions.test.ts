import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { mutate } from '../../../test/support/mutate.ts'
import { grammarFaults } from '../../../test/support/normal-form.ts'
import { replyContext, supplyContext } from '../../../test/support/translation-contexts.ts'
import { type Answer, finishOf } from '../../conversation/answer.ts'
import { fold, unfold } from '../../conversation/fold.ts'
import { textPart } from '../../conversation/part.ts'
import { NO_USAGE } from '../../conversation/usage.ts'
import { GatewayError } from '../../errors/gateway-error.ts'
import { PROTOCOLS, protocolOf } from '../index.ts'
import { CompletionStreamDecoder } from './decode-stream.ts'
import { CompletionStreamEncoder } from './encode-stream.ts'
import { completions } from './index.ts'
import { decodeReply, encodeReply, readReply } from './reply.ts'

const OPTIONS = { wantsUsage: true, echoes: [], choices: 1 }
const ADDRESS = { rest: '', query: new URLSearchParams() }
const read = (body: object, text = JSON.stringify(body)) => completions.readRequest(body, text, ADDRESS)

const texts = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
const answers: fc.Arbitrary<Answer> = fc
  .array(fc.tuple(texts, fc.constantFrom('stop', 'length', 'filter')), { minLength: 1, maxLength: 3 })
  .map((choices) => ({
    id: 'cmpl-1',
    choices: choices.map(([text, reason], index) => ({
      index,
      parts: [textPart(text)],
      finish: finishOf(reason as 'stop' | 'length' | 'filter'),
      logprobs: null,
    })),
    usage: { ...NO_USAGE, input: 3, output: 4 },
  }))

function encodeStream(answer: Answer): string {
  const encoder = new CompletionStreamEncoder(replyContext(), OPTIONS)
  return unfold(answer)
    .map((event) => encoder.push(event))
    .join('')
}

test('no other format is translated to this one', () => {
  expect(protocolOf('completions')).toBeUndefined()
  expect(PROTOCOLS).not.toContain(completions)
})

describe('an answer', () => {
  test('is the same after it was encoded and decoded', () => {
    fc.assert(
      fc.property(answers, (answer) => {
        const reply = encodeReply(answer, replyContext(), OPTIONS)
        expect({ ...decodeReply(reply), id: answer.id }).toEqual(answer)
      }),
      { numRuns: 200, seed: 1 },
    )
  })

  test('is the same as a stream, however it is cut', () => {
    fc.assert(
      fc.property(answers, fc.integer({ min: 1, max: 40 }), (answer, step) => {
        const decoder = new CompletionStreamDecoder()
        const bytes = new TextEncoder().encode(encodeStream(answer))
        const events = []
        for (let at = 0; at < bytes.length; at += step)
          events.push(...decoder.push(bytes.slice(at, at + step)))
        events.push(...decoder.end())
        expect(decoder.failure).toBeNull()
        expect(grammarFaults(events)).toEqual([])
        expect({ ...fold(events), id: answer.id }).toEqual(answer)
      }),
      { numRuns: 200, seed: 2 },
    )
  })

  test('that is corrupted is refused, or has sound events', () => {
    fc.assert(
      fc.property(answers, fc.array(fc.nat(100_000), { minLength: 1, maxLength: 4 }), (answer, whims) => {
        const reply = mutate(encodeReply(answer, replyContext(), OPTIONS), whims)
        expect(readReply(reply) === null).toBe(decodeReply(reply) === null)
        const decoder = new CompletionStreamDecoder()
        const events = decoder.push(new TextEncoder().encode(`data: ${JSON.stringify(reply)}\n\n`))
        events.push(...decoder.end())
        if (decoder.failure === null) expect(grammarFaults(events)).toEqual([])
      }),
      { numRuns: 500, seed: 3 },
    )
  })
})

describe('a relayed stream', () => {
  const chunk = (text: string, more: object = {}) =>
    `data: ${JSON.stringify({ id: 'c', object: 'text_completion', choices: [{ text, index: 0, logprobs: null, finish_reason: null, ...more }] })}\n\n`
  const USAGE = `data: ${JSON.stringify({ id: 'c', choices: [], usage: { prompt_tokens: 2, completion_tokens: 3, total_tokens: 5 } })}\n\n`
  const END = chunk('', { finish_reason: 'stop' })
  const DONE = 'data: [DONE]\n\n'

  function relay(request: object, stream: string, step: number) {
    const tap = read({ model: 'm', stream: true, ...request }).openTap()
    const bytes = new TextEncoder().encode(stream)
    let forwarded = ''
    for (let at = 0; at < bytes.length; at += step)
      forwarded += Buffer.from(tap.push(bytes.slice(at, at + step)) ?? []).toString()
    forwarded += Buffer.from(tap.end() ?? []).toString()
    return { tap, forwarded }
  }

  test.each([1, 5, 64, 10_000])('is metered in pieces of %p bytes', (step) => {
    const texts = `${chunk('Hé')}${chunk('llo')}${chunk(' you')}${END}`
    const { tap, forwarded } = relay({ prompt: 'Hi' }, texts + USAGE + DONE, step)
    expect(forwarded).toBe(texts + DONE)
    expect(tap).toMatchObject({ isTerminated: true, isComplete: true, outputCharacters: 9, failure: null })
    expect(tap.usage).toMatchObject({ input: 2, output: 3 })
  })

  test('keeps the usage that the client asked for', () => {
    const request = { prompt: 'Hi', stream_options: { include_usage: true } }
    const stream = chunk('Hi') + END + USAGE + DONE
    expect(relay(request, stream, 99).forwarded).toBe(stream)
  })

  test('gets the marker that its supplier leaves out, once every prompt is answered', () => {
    const second = chunk('b', { index: 1, finish_reason: 'stop' })
    expect(relay({ prompt: ['a', 'b'] }, END + second, 50).forwarded).toBe(END + second + DONE)
    expect(relay({ prompt: ['a', 'b'] }, END, 50).tap.isComplete).toBe(false)
  })

  test('ends with an error of its supplier', () => {
    const error = 'data: {"error":{"message":"no","type":"server_error"}}\n\n'
    const { tap, forwarded } = relay({ prompt: 'Hi' }, chunk('Hi') + error + DONE, 30)
    expect(forwarded).toBe(chunk('Hi'))
    expect(tap.failure?.message).toBe('no')
    expect(tap.fail(new GatewayError('provider_error', 'It failed.'))).not.toContain('[DONE]')
  })
})

describe('a request', () => {
  test('goes out with the model, a limit and usage replaced, and every other byte kept', () => {
    const text = '{ "prompt":"é", "model":"m", "stream":true, "odd":1.0 }'
    expect(read(JSON.parse(text), text).relayBody('up').join('')).toBe(
      '{"max_tokens":16,"stream_options":{"include_usage":true}, "prompt":"é", "model":"up", "stream":true, "odd":1.0 }',
    )
    const whole = '{"prompt":"é","model":"m","max_tokens":null}'
    expect(read(JSON.parse(whole), whole).relayBody('m').join('')).toBe(
      '{"prompt":"é","model":"m","max_tokens":16}',
    )
  })

  test.each([
    [{ prompt: 'four' }, 4, 1],
    [{ prompt: ['ab', 'c'], n: 3 }, 3, 6],
    [{ prompt: [1, 2, 3], best_of: 4 }, 12, 4],
    [{ prompt: [[1], [2, 3]] }, 12, 2],
    [{}, 0, 1],
  ])('%j has its size', (body, promptCharacters, choices) => {
    expect(read({ model: 'm', ...body }).facts).toMatchObject({
      promptCharacters,
      choices,
      maxOutputTokens: 16,
    })
  })

  test('is written again as it was, for a shorter answer', () => {
    const body = { model: 'm', prompt: 'Hi', suffix: 'x', n: 2, stop: ['a'], min_p: 0.1, user: 'u', top_k: 4 }
    const conversation = { ...read(body).client.decode(), maxOutputTokens: 9 }
    expect(completions.supplier.encodeRequest(conversation, supplyContext({}))).toEqual({
      body: { ...body, model: supplyContext({}).upstreamModel, max_tokens: 9 },
      dropped: [],
    })
  })
})
