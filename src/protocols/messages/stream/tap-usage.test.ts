import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { GatewayError } from '../../../errors/gateway-error.ts'
import type { StreamTap } from '../../protocol.ts'
import { UsageTap } from './tap-usage.ts'

const encoder = new TextEncoder()
const CASES = join(import.meta.dirname, '..', 'cases')
const STREAMS = readdirSync(CASES)
  .filter((name) => name.endsWith('.stream.sse'))
  .map((name) => ({ name, text: readFileSync(join(CASES, name), 'utf8') }))

interface Seen {
  readonly forwarded: string
  readonly facts: Omit<StreamTap, 'push' | 'end' | 'fail'>
}

function run(...pieces: readonly Uint8Array[]): Seen {
  const tap = new UsageTap('m')
  const forwarded: Uint8Array[] = []
  for (const piece of pieces) {
    const bytes = tap.push(piece)
    if (bytes) forwarded.push(bytes.slice())
  }
  const last = tap.end()
  if (last) forwarded.push(last)
  const { hasContent, isComplete, isTerminated, failure, usage, outputCharacters } = tap
  return {
    forwarded: new TextDecoder().decode(Buffer.concat(forwarded)),
    facts: { hasContent, isComplete, isTerminated, failure, usage, outputCharacters },
  }
}

const runText = (text: string) => run(encoder.encode(text))
const event = (data: { readonly type: string; readonly [name: string]: unknown }) =>
  `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`
const delta = (content: object, index = 0) => event({ type: 'content_block_delta', index, delta: content })
const START = event({ type: 'message_start', message: { usage: { input_tokens: 9, output_tokens: 1 } } })
const BLOCK = event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } })
const HELLO = delta({ type: 'text_delta', text: 'hello' })
const STOP = event({ type: 'message_stop' })

describe('golden streams', () => {
  const USAGE = { input: 25, cacheRead: 0, cacheWrite: 0, output: 7, reasoning: 0, images: 0 }
  const facts: Readonly<Record<string, readonly [number, Seen['facts']['usage']]>> = {
    'text.stream.sse': [5, USAGE],
    'thinking-tools.stream.sse': [
      10 + 8 + 1 + 8 + 1,
      { input: 10, cacheRead: 8, cacheWrite: 1, output: 42, reasoning: 5, images: 0 },
    ],
    'server-tool.stream.sse': [19 + 6, { ...USAGE, input: 30, output: 9, details: { webSearches: 1 } }],
    'multi-byte-crlf.stream.sse': ['naïve 日本語 😀say "event: error" \\ \nplain 漢😀'.length, USAGE],
    'refusal-late-words.stream.sse': [0, { ...USAGE, output: 3 }],
    'interleaved-unclosed.stream.sse': [1 + 8 + 1 + 2 + 3, USAGE],
  }
  for (const { name, text } of STREAMS) {
    const bytes = encoder.encode(text)

    test(`${name}: facts, and relayed bytes equal supplier bytes`, () => {
      const { forwarded, facts: seen } = runText(text)
      const [outputCharacters, usage] = facts[name] ?? [-1, null]
      expect(seen).toEqual({
        hasContent: true,
        isComplete: true,
        isTerminated: true,
        failure: null,
        usage,
        outputCharacters,
      })
      const end = text.lastIndexOf('event: message_stop')
      expect(forwarded).toBe(
        name.startsWith('refusal') ? text.slice(0, text.indexOf('event: ping', end)) : text,
      )
    })

    test(`${name}: cut at every byte position`, () => {
      const whole = run(bytes)
      for (let at = 0; at <= bytes.length; at++)
        expect(run(bytes.slice(0, at), bytes.slice(at))).toEqual(whole)
    })

    test(`${name}: without its last event it is not complete`, () => {
      const { facts: seen } = runText(text.slice(0, text.lastIndexOf('event: message_stop')))
      expect(seen).toMatchObject({ isComplete: false, isTerminated: false, failure: null })
    })
  }

  test('forwards the same array when nothing is removed', () => {
    const bytes = encoder.encode(START + BLOCK + HELLO + STOP)
    expect(new UsageTap('m').push(bytes)).toBe(bytes)
  })
})

test('counts similar events the same as if each were parsed alone', () => {
  const words = fc.string({ unit: 'grapheme' })
  const written = fc.oneof(
    { weight: 8, arbitrary: words.map((text) => ({ type: 'text_delta', text })) },
    words.map((thinking) => ({ type: 'thinking_delta', thinking })),
    words.map((partial_json) => ({ type: 'input_json_delta', partial_json })),
    words.map((signature) => ({ type: 'signature_delta', signature })),
    words.map((text) => ({ type: 'text_delta', text, note: 'x' })),
  )
  const events = fc.array(
    fc.tuple(written, fc.nat(1)).map(([content, index]) => delta(content, index)),
    { minLength: 20, maxLength: 50 },
  )
  fc.assert(
    fc.property(events, (all) => {
      const alone = all.map((one) => runText(one).facts.outputCharacters)
      const { forwarded, facts } = runText(all.join(''))
      expect(facts.outputCharacters).toBe(alone.reduce((total, count) => total + count, 0))
      expect(forwarded).toBe(all.join(''))
    }),
    { numRuns: 60, seed: 81 },
  )
})

describe('the name of the model', () => {
  const start = (model: string) =>
    event({ type: 'message_start', message: { id: 'msg_1', model, usage: { input_tokens: 9 }, later: 1 } })

  test('is the one the client asked for; nothing else changes', () => {
    const rest = BLOCK + HELLO + STOP
    const { forwarded, facts } = runText(start('renamed-by-the-route') + rest)
    expect(forwarded).toBe(start('m') + rest)
    expect(facts).toMatchObject({ isComplete: true, outputCharacters: 5, usage: { input: 9 } })
  })

  test('is unchanged when it is right or missing', () => {
    for (const first of [start('m'), START]) {
      const bytes = encoder.encode(first + BLOCK)
      expect(new UsageTap('m').push(bytes)).toBe(bytes)
    }
  })

  test('is unchanged in an event that nests too deeply to serialize', () => {
    const deep = '['.repeat(60_000) + ']'.repeat(60_000)
    const bytes = encoder.encode(
      start('renamed-by-the-route').replace('"later":1', `"later":${deep}`) + BLOCK,
    )
    expect(new UsageTap('m').push(bytes)).toBe(bytes)
  })
})

test('has no content before the first block', () => {
  expect(runText(START + event({ type: 'ping' })).facts.hasContent).toBe(false)
  expect(runText(START + BLOCK).facts.hasContent).toBe(true)
})

describe('errors of the supplier', () => {
  test('holds back an error event and everything after it', () => {
    const error = event({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } })
    for (const bad of [error, error.replace('event: error\n', '')]) {
      const { forwarded, facts } = runText(START + BLOCK + HELLO + bad + STOP)
      expect(forwarded).toBe(START + BLOCK + HELLO)
      expect(facts.failure).toMatchObject({ kind: 'overloaded' })
      expect(facts).toMatchObject({ isComplete: false, outputCharacters: 5, usage: { input: 9, output: 1 } })
    }
  })

  test.each([['<html>\n\n'], ['event: ping\ndata: {"type"\n\n'], ['data: 7\n\n']])(
    '%j is malformed',
    (bytes) => {
      const { forwarded, facts } = runText(START + bytes + STOP)
      expect(forwarded).toBe(START)
      expect(facts.failure?.kind).toBe('malformed')
    },
  )

  test('forwards nothing after a failure and reports it in one event', () => {
    const tap = new UsageTap('m')
    tap.push(encoder.encode(event({ type: 'error', error: {} })))
    expect(tap.push(encoder.encode(STOP))).toBeNull()
    expect(tap.end()).toBeNull()
    expect(tap.fail(new GatewayError('provider_error', 'No.'))).toBe(
      'event: error\ndata: {"type":"error","error":{"message":"No.","type":"provider_error","code":"provider_error","param":null}}\n\n',
    )
  })
})

test('completes a last event without its blank line, and drops a truncated one', () => {
  const cut = START + BLOCK + STOP.trimEnd()
  expect(runText(cut)).toMatchObject({ forwarded: START + BLOCK + STOP, facts: { isComplete: true } })
  expect(runText(cut.slice(0, -3))).toMatchObject({ forwarded: START + BLOCK, facts: { isComplete: false } })
})
