import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { arbitraryStreamedAnswer } from '../../../../../test/support/arbitrary-conversation.ts'
import { replyContext, supplyContext } from '../../../../../test/support/translation-contexts.ts'
import type { Answer } from '../../../../conversation/answer.ts'
import type { AnswerEvent } from '../../../../conversation/answer-event.ts'
import { unfold } from '../../../../conversation/fold.ts'
import { textPart } from '../../../../conversation/part.ts'
import { NO_USAGE } from '../../../../conversation/usage.ts'
import { GatewayError } from '../../../../errors/gateway-error.ts'
import type { SupplierFailure } from '../../../../errors/supplier-failure.ts'
import { messages } from '../../../../protocols/messages/index.ts'
import { responses } from '../../../../protocols/responses/index.ts'
import type { StreamDecoder, StreamEncoder } from '../../../../protocols/translation.ts'
import { countOutput } from './estimate-usage.ts'
import { StopScanner } from './stop-scanner.ts'
import { TranslatingTap } from './translating-tap.ts'

const FAILURE: SupplierFailure = {
  kind: 'overloaded',
  message: 'busy',
  status: null,
  param: null,
  retryAfterSeconds: null,
}

/** Each push gives the next of these rows of events. */
function scripted(script: readonly (readonly AnswerEvent[])[], failure: SupplierFailure | null = null) {
  const rest = script.values()
  const next = () => [...(rest.next().value ?? [])]
  const decoder: StreamDecoder = { push: next, end: next, failure }
  return decoder
}

const encoder = (): StreamEncoder => ({
  push: (event) => `${event.type};`,
  fail: (error) => `failed ${error.code}`,
  finalReply: { id: 'resp_1' },
})

const BYTES = new Uint8Array(1)
const textOf = (bytes: Uint8Array | null) => (bytes === null ? null : new TextDecoder().decode(bytes))

const ANSWER: Answer = {
  id: 'a',
  choices: [
    {
      index: 0,
      parts: [textPart('Hello'), { type: 'refusal', text: 'No.' }],
      finish: { reason: 'stop', stopSequence: null, explanation: null },
      logprobs: null,
    },
  ],
  usage: { ...NO_USAGE, input: 3, output: 4 },
}

describe('a stream in another format', () => {
  test('is committed with its first content, not with its start', () => {
    const [start, ...rest] = unfold(ANSWER)
    const tap = new TranslatingTap({
      decoder: scripted([start === undefined ? [] : [start], [], rest.slice(0, 1), rest.slice(1)]),
      steps: [],
      encoder: encoder(),
      promptTokens: 9,
    })
    expect(textOf(tap.push(BYTES))).toBe('answer-start;')
    expect(tap.hasContent).toBe(false)
    expect(tap.push(BYTES)).toBeNull()
    tap.push(BYTES)
    expect([tap.hasContent, tap.isComplete, tap.usage]).toEqual([true, false, null])
    expect(textOf(tap.push(BYTES))).toEndWith('usage;answer-end;')
    expect([tap.isTerminated, tap.isComplete]).toEqual([true, true])
    expect(tap.usage).toEqual(ANSWER.usage)
    expect(tap.finalReply).toEqual({ id: 'resp_1' })
  })

  test('counts a stream like the same answer sent as a whole reply', () => {
    fc.assert(
      fc.property(arbitraryStreamedAnswer(), ({ answer, events }) => {
        const tap = new TranslatingTap({
          decoder: scripted([events]),
          steps: [],
          encoder: encoder(),
          promptTokens: 9,
        })
        tap.push(BYTES)
        expect(tap.outputCharacters).toBe(countOutput(answer))
      }),
    )
  })

  test('reports a failure until it has ended', () => {
    const failing = new TranslatingTap({
      decoder: scripted([], FAILURE),
      steps: [],
      encoder: encoder(),
      promptTokens: 9,
    })
    failing.push(BYTES)
    expect(failing.failure).toEqual(FAILURE)
    expect(failing.fail(new GatewayError('provider_overloaded', 'busy'))).toBe('failed provider_overloaded')
    const ended = new TranslatingTap({
      decoder: scripted([unfold(ANSWER)], FAILURE),
      steps: [],
      encoder: encoder(),
      promptTokens: 9,
    })
    ended.push(BYTES)
    expect(ended.failure).toBeNull()
  })

  test('sends our own usage count when the supplier sends none', () => {
    const events: AnswerEvent[] = []
    const tap = new TranslatingTap({
      decoder: scripted([unfold({ ...ANSWER, usage: null })]),
      steps: [],
      encoder: { ...encoder(), push: (event) => `${events.push(event)};` },
      promptTokens: 9,
    })
    tap.push(BYTES)
    expect(events.at(-2)).toEqual({ type: 'usage', usage: { ...NO_USAGE, input: 9, output: 2 } })
    expect(events.at(-1)?.type).toBe('answer-end')
    expect(tap.usage).toBeNull()
  })

  test('sends nothing after its end, also after a stop sequence', () => {
    const tap = new TranslatingTap({
      decoder: scripted([unfold(ANSWER), unfold(ANSWER), unfold(ANSWER)]),
      steps: [new StopScanner({ sequences: ['ell'], streamedChoices: 1 })],
      encoder: encoder(),
      promptTokens: 9,
    })
    tap.push(BYTES)
    expect(tap.isComplete).toBe(true)
    expect(tap.outputCharacters).toBe(1)
    expect([tap.push(BYTES), tap.end()]).toEqual([null, null])
  })
})

test('a real stream gives the same bytes, however it is split', () => {
  const context = supplyContext({}, messages.supplier.traits)
  const client = responses.readRequest({ model: 'm', input: 'Hi' }, '{"model":"m","input":"Hi"}', {
    rest: '',
    query: new URLSearchParams(),
  }).client
  const supplierBytes = (() => {
    const own = messages
      .readRequest(
        { model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'Hi' }] },
        '{"model":"m"}',
        { rest: '', query: new URLSearchParams() },
      )
      .client.openEncoder(replyContext())
    return new TextEncoder().encode(
      unfold(ANSWER)
        .map((event) => own.push(event))
        .join(''),
    )
  })()
  const run = (size: number) => {
    const tap = new TranslatingTap({
      decoder: messages.supplier.openDecoder(context),
      steps: [],
      encoder: client.openEncoder(replyContext()),
      promptTokens: 9,
    })
    let text = ''
    for (let start = 0; start < supplierBytes.length; start += size) {
      text += textOf(tap.push(supplierBytes.slice(start, start + size))) ?? ''
    }
    return text + (textOf(tap.end()) ?? '')
  }
  const whole = run(supplierBytes.length)
  expect(whole).toContain('response.completed')
  for (const size of [1, 2, 3, 7, 31]) expect(run(size)).toBe(whole)
})
