import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { fold } from '../conversation/fold.ts'
import { PROTOCOLS } from './index.ts'
import type { Protocol } from './protocol.ts'

const SUPPLY = { upstreamModel: 'm', route: 'r', outputTokenLimit: null }
const texts = fc.array(fc.string({ unit: 'binary' }), { maxLength: 12 })
const endings = fc.constantFrom('stop', 'length', 'tool_calls')
const paddings = fc.option(fc.string(), { nil: undefined })

interface Said {
  readonly texts: readonly string[]
  readonly ending: string
  readonly padding: string | undefined
}

function chatStream({ texts, ending, padding }: Said): string {
  const event = (delta: object, finish_reason: string | null, isPadded = false) =>
    `data: ${JSON.stringify({
      id: 'chatcmpl-1',
      choices: [{ index: 0, delta, finish_reason }],
      ...(isPadded && { obfuscation: padding }),
    })}\n\n`
  const call = { index: 0, id: 'call_1', function: { name: 'look', arguments: '{}' } }
  return [
    event({ role: 'assistant', content: '' }, null),
    ...texts.map((content) => event({ content }, null, padding !== undefined)),
    ...(ending === 'tool_calls' ? [event({ tool_calls: [call] }, null)] : []),
    event({}, ending),
    'data: [DONE]\n\n',
  ].join('')
}

const STOP_REASONS: Readonly<Record<string, string>> = { stop: 'end_turn', length: 'max_tokens' }

function messagesStream({ texts, ending }: Said): string {
  const event = (type: string, rest: object) =>
    `event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`
  const call = { type: 'tool_use', id: 'toolu_1', name: 'look', input: {} }
  const calls = [
    event('content_block_start', { index: 1, content_block: call }),
    event('content_block_stop', { index: 1 }),
  ]
  return [
    event('message_start', { message: { id: 'msg_1', content: [] } }),
    event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
    ...texts.map((text) => event('content_block_delta', { index: 0, delta: { type: 'text_delta', text } })),
    event('content_block_stop', { index: 0 }),
    ...(ending === 'tool_calls' ? calls : []),
    event('message_delta', { delta: { stop_reason: STOP_REASONS[ending] ?? 'tool_use' } }),
    event('message_stop', {}),
  ].join('')
}

function read({ supplier }: Protocol, bytes: Uint8Array) {
  const decoder = supplier.openDecoder({ ...SUPPLY, traits: supplier.traits })
  const answer = fold([...decoder.push(bytes), ...decoder.end()])
  return { id: answer.id, finishes: answer.choices.map(({ finish }) => finish), failure: decoder.failure }
}

const STREAMS: Readonly<Record<string, (said: Said) => string>> = {
  'chat-completion': chatStream,
  messages: messagesStream,
}

test('these formats can shorten their streams', () => {
  const shortening = PROTOCOLS.filter(({ supplier }) => supplier.shortenStream !== undefined)
  expect<string[]>(shortening.map(({ name }) => name).sort()).toEqual(Object.keys(STREAMS).sort())
})

test.each(Object.entries(STREAMS))('a shortened stream of %s ends the same', (name, write) => {
  const protocol = PROTOCOLS.find((one) => one.name === name)
  if (protocol === undefined) throw new Error(`${name} is unknown`)
  fc.assert(
    fc.property(texts, endings, paddings, (said, ending, padding) => {
      const stream = Buffer.from(write({ texts: said, ending, padding }))
      const short = protocol.supplier.shortenStream?.(stream) ?? stream
      expect(short.length).toBeLessThanOrEqual(stream.length)
      expect(read(protocol, short)).toEqual(read(protocol, stream))
    }),
  )
})

test('a long text leaves a few events', () => {
  const words = Array.from({ length: 500 }, (_, place) => `word ${place} `)
  for (const protocol of PROTOCOLS) {
    const stream = STREAMS[protocol.name]?.({ texts: words, ending: 'stop', padding: undefined })
    if (stream === undefined) continue
    const short = Buffer.from(protocol.supplier.shortenStream?.(Buffer.from(stream)) ?? [])
    expect(short.toString().split('\n\n').length).toBeLessThan(12)
  }
})

test('a last event without its blank line stays', () => {
  const [chat] = PROTOCOLS
  const stream = Buffer.from(chatStream({ texts: ['a', 'b'], ending: 'length', padding: 'x' }).trimEnd())
  const short = Buffer.from(chat?.supplier.shortenStream?.(stream) ?? [])
  expect(short.toString().endsWith('data: [DONE]')).toBe(true)
})
