import { describe, expect, test } from 'bun:test'
import { TokenCounter } from '../../conversation/token-estimate.ts'
import { PROTOCOLS } from '../../protocols/index.ts'
import type { Protocol } from '../../protocols/protocol.ts'
import { SentSample } from './sent-sample.ts'

/** An event of each format that adds a text, as its suppliers send it. */
const EVENTS: Readonly<Record<string, (text: string) => object>> = {
  'chat-completion': (content) => ({
    id: 'chatcmpl-0123456789abcdef',
    object: 'chat.completion.chunk',
    model: 'a-model-with-a-long-name',
    choices: [{ index: 0, delta: { content }, finish_reason: null }],
  }),
  responses: (delta) => ({
    type: 'response.output_text.delta',
    item_id: 'msg_0123456789abcdef',
    output_index: 0,
    content_index: 0,
    delta,
    obfuscation: 'dkfjgnhbtw',
  }),
  messages: (text) => ({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }),
  'content-generation': (text) => ({
    candidates: [{ content: { role: 'model', parts: [{ text }] }, index: 0 }],
    modelVersion: 'a-model-with-a-long-name',
    responseId: '0123456789abcdef',
  }),
}

const CHINESE = '今天的天气非常好，我们一起去公园散步吧。'
const ENGLISH = ' The quick brown fox jumps over the lazy dog and runs away.'
const encoder = new TextEncoder()

function tokensOf(text: string): number {
  const counter = new TokenCounter()
  counter.add(text)
  return counter.tokens
}

/** The tokens of the whole text by a sample of it, as a part of those of the text itself. */
function shareCounted(texts: readonly string[], protocol: Protocol): number {
  const text = texts.join('')
  return stream(protocol, texts).countTokens(text.length, protocol) / tokensOf(text)
}

function stream(protocol: Protocol, texts: readonly string[]): SentSample {
  const sample = new SentSample()
  const make = EVENTS[protocol.name]
  if (make === undefined) throw new Error(protocol.name)
  for (const text of texts) sample.add(encoder.encode(`event: x\ndata: ${JSON.stringify(make(text))}\n\n`))
  return sample
}

describe.each(PROTOCOLS.map((protocol) => [protocol.name, protocol] as const))('%s', (_name, protocol) => {
  test.each([1, 3, 40])('counts a short answer of %d events exactly, in every script', (count) => {
    expect(shareCounted(Array(count).fill(CHINESE), protocol)).toBe(1)
    expect(shareCounted(Array(count).fill(ENGLISH), protocol)).toBe(1)
  })

  test('counts an answer that goes on in another script', () => {
    const share = shareCounted([...Array(2_000).fill(ENGLISH), ...Array(2_000).fill(CHINESE)], protocol)
    expect(share).toBeGreaterThan(0.9)
    expect(share).toBeLessThan(1.1)
  })

  test('counts an event that is longer than what is kept of it', () => {
    const share = shareCounted([CHINESE.repeat(2_000)], protocol)
    expect(share).toBeGreaterThan(0.9)
    expect(share).toBeLessThan(1.1)
  })

  test('keeps a copy of a piece, not the buffer it is a part of', () => {
    const make = EVENTS[protocol.name]
    const text = CHINESE.repeat(300)
    const received = Buffer.from(`event: x\ndata: ${JSON.stringify(make?.(text))}\n\n`)
    const sample = new SentSample()
    sample.add(received)
    received.fill('x')
    expect(sample.countTokens(text.length, protocol) / tokensOf(text)).toBeGreaterThan(0.9)
  })

  test('counts a part of what was sent', () => {
    const sample = stream(protocol, Array(20).fill(CHINESE))
    const characters = CHINESE.length * 10
    expect(sample.countTokens(characters, protocol)).toBe(tokensOf(CHINESE.repeat(10)))
  })

  test('takes characters that are in no event for English', () => {
    expect(stream(protocol, ['']).countTokens(400, protocol)).toBe(100)
    expect(new SentSample().countTokens(400, protocol)).toBe(100)
  })
})
