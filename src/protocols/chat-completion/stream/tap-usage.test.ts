import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import type { StreamTap } from '../../protocol.ts'
import { UsageTap } from './tap-usage.ts'

const encoder = new TextEncoder()
const decoder = new TextDecoder()
const CASES = join(import.meta.dirname, '../cases')
const STREAMS = readdirSync(CASES)
  .filter((name) => name.endsWith('.stream.sse'))
  .map((name) => ({ name, text: readFileSync(join(CASES, name), 'utf8') }))
const USAGE = { input: 10, cacheRead: 8, cacheWrite: 1, output: 7, reasoning: 3, images: 0 }

interface Seen {
  readonly forwarded: string
  readonly facts: Omit<StreamTap, 'push' | 'end' | 'fail'>
}

/** Runs a stream through a tap in the given pieces and returns everything visible from outside. */
function run(pieces: readonly Uint8Array[], keepsUsageChunk: boolean): Seen {
  const tap = new UsageTap({ keepsUsageChunk })
  const forwarded: Uint8Array[] = []
  for (const piece of pieces) {
    const bytes = tap.push(piece)
    if (bytes) forwarded.push(bytes.slice())
  }
  const last = tap.end()
  if (last) forwarded.push(last)
  const { hasContent, isComplete, isTerminated, failure, usage, outputCharacters } = tap
  return {
    forwarded: decoder.decode(Buffer.concat(forwarded)),
    facts: { hasContent, isComplete, isTerminated, failure, usage, outputCharacters },
  }
}

const runText = (text: string, keepsUsageChunk = false) => run([encoder.encode(text)], keepsUsageChunk)

function withoutUsageChunk(text: string): string {
  return text
    .split(/(?<=\n\n|\r\n\r\n)/)
    .filter((event) => !event.includes('"choices":[],"usage":{'))
    .join('')
}

function data(value: unknown): string {
  return `data: ${JSON.stringify(value)}\n\n`
}

const hello = data({ choices: [{ index: 0, delta: { role: 'assistant', content: 'hello' } }] })
const stop = data({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })
const done = 'data: [DONE]\n\n'

describe('golden streams', () => {
  const characters: Readonly<Record<string, number>> = {
    'text.stream.sse': 5,
    'multi-byte.stream.sse': 'naïve 日本語 😀say "usage":{"error":[DONE]} \\ \n\u2028'.length,
    'crlf.stream.sse': 2,
    'tools.stream.sse': 1 + 7 + 2 + 2,
    'thinking-usage-on-finish.stream.sse': 4,
    'two-choices-no-marker.stream.sse': 3,
    'filter-results-first.stream.sse': 1,
  }
  for (const { name, text } of STREAMS) {
    test(`${name}: facts`, () => {
      const hasMarker = !name.includes('no-marker')
      expect(runText(text).facts).toEqual({
        hasContent: true,
        isComplete: true,
        isTerminated: true,
        failure: null,
        usage: hasMarker ? USAGE : null,
        outputCharacters: characters[name] ?? -1,
      })
    })

    test(`${name}: relayed bytes equal supplier bytes, except for the usage chunk and [DONE]`, () => {
      const marker = name.includes('no-marker') ? done : ''
      expect(runText(text, true).forwarded).toBe(text + marker)
      expect(runText(text, false).forwarded).toBe(withoutUsageChunk(text) + marker)
    })

    test(`${name}: split at every byte position`, () => {
      const bytes = encoder.encode(text)
      for (const keepsUsageChunk of [true, false]) {
        const whole = run([bytes], keepsUsageChunk)
        for (let at = 0; at <= bytes.length; at++) {
          expect(run([bytes.slice(0, at), bytes.slice(at)], keepsUsageChunk)).toEqual(whole)
        }
      }
    })

    test(`${name}: split at random positions`, () => {
      const bytes = encoder.encode(text)
      const whole = run([bytes], false)
      fc.assert(
        fc.property(fc.array(fc.integer({ min: 0, max: 90 }), { maxLength: 60 }), (sizes) => {
          let start = 0
          const pieces = sizes.map((size) => {
            start += size
            return bytes.slice(start - size, start)
          })
          expect(run([...pieces, bytes.slice(start)], false)).toEqual(whole)
        }),
        { numRuns: 60, seed: 6 },
      )
    })
  }

  test('forwards the same array when nothing is removed', () => {
    const bytes = encoder.encode(hello + stop + done)
    expect(new UsageTap({ keepsUsageChunk: false }).push(bytes)).toBe(bytes)
  })
})

test('counts a long stream of similar events as if each were parsed', () => {
  const delta = fc.oneof(
    { weight: 8, arbitrary: fc.string({ unit: 'grapheme' }).map((content) => ({ content })) },
    fc.string().map((reasoning_content) => ({ content: null, reasoning_content })),
    fc.string().map((words) => ({ tool_calls: [{ index: 0, function: { arguments: words } }] })),
  )
  const event = fc
    .tuple(delta, fc.nat(1))
    .map(([written, index]) => data({ id: 'c', choices: [{ index, delta: written }] }))
  fc.assert(
    fc.property(fc.array(event, { minLength: 20, maxLength: 60 }), (events) => {
      const alone = events.map((one) => runText(one).facts.outputCharacters)
      const { forwarded, facts } = runText(events.join(''))
      expect(facts.outputCharacters).toBe(alone.reduce((total, count) => total + count, 0))
      expect(forwarded).toBe(events.join(''))
    }),
    { numRuns: 60, seed: 16 },
  )
})

describe('supplier errors', () => {
  test('forwards what precedes an error object, and nothing after that', () => {
    const { forwarded, facts } = runText(
      hello +
        data({ error: { message: 'out of memory at 10.0.0.3', type: 'server_error', code: 500 } }) +
        stop +
        done,
    )
    expect(forwarded).toBe(hello)
    expect(facts.failure).toMatchObject({ kind: 'server', status: 500, message: 'out of memory at 10.0.0.3' })
    expect(facts).toMatchObject({ isComplete: false, isTerminated: false, outputCharacters: 5 })
  })

  test.each([
    ['a string', data({ error: 'boom' }), 'server'],
    ['an event named error', 'event: error\ndata: {"message":"boom"}\n\n', 'server'],
    [
      'beside choices',
      data({ choices: [{ index: 0, delta: {}, finish_reason: 'error' }], error: { code: 502 } }),
      'server',
    ],
    ['rate limit', data({ error: { message: 'slow down', type: 'rate_limit_exceeded' } }), 'rate-limited'],
    ['overload', data({ error: { message: 'busy', code: 529 } }), 'overloaded'],
    ['context', data({ error: { message: 'm', code: 'context_length_exceeded' } }), 'context-length'],
    ['of one choice', data({ choices: [{ index: 0, error: { message: 'm', code: 503 } }] }), 'overloaded'],
    ['in place of a chunk', data({ object: 'error', message: 'm', code: 503 }), 'overloaded'],
    ['not JSON', 'data: <html>\n\n', 'malformed'],
    ['truncated JSON', 'data: {"choices":[\n\n', 'malformed'],
    ['not an object', 'data: [1]\n\n', 'malformed'],
    ['a number', 'data: 7\n\n', 'malformed'],
    ['empty data', 'data: \n\n', 'malformed'],
    ['no event at all', '<html>\n\n', 'malformed'],
  ] as const)('%s', (_name, event, kind) => {
    const { forwarded, facts } = runText(event + hello + done)
    expect(forwarded).toBe('')
    expect(facts.failure?.kind).toBe(kind)
    expect(facts.hasContent).toBe(false)
  })

  test('forwards nothing after a failure, even in later chunks', () => {
    const tap = new UsageTap({ keepsUsageChunk: false })
    tap.push(encoder.encode(data({ error: { message: 'x' } })))
    expect(tap.push(encoder.encode(hello))).toBeNull()
    expect(tap.end()).toBeNull()
  })

  test('ignores a null error and text that mentions errors', () => {
    const text = data({
      error: null,
      usage: null,
      choices: [
        {
          index: 0,
          delta: { content: '{"error":{"message":"x"},"usage":{"prompt_tokens":9}} data: [DONE]' },
        },
      ],
    })
    const { forwarded, facts } = runText(text)
    expect(forwarded).toBe(text)
    expect(facts).toMatchObject({ failure: null, usage: null, isTerminated: false, hasContent: true })
  })
})

describe('content', () => {
  test.each([
    ['role only', hello.replace('hello', ''), true],
    ['finish only', stop, true],
    ['empty delta', data({ choices: [{ index: 0, delta: {}, finish_reason: null }] }), false],
    ['null delta', data({ choices: [{ index: 0, delta: null, finish_reason: '' }] }), false],
    ['no choices', data({ choices: [] }), false],
    ['a comment', ': ka\n\n', false],
    ['usage only', data({ choices: [], usage: { prompt_tokens: 1, completion_tokens: 1 } }), false],
  ])('%s', (_name, text, hasContent) => expect(runText(text).facts.hasContent).toBe(hasContent))
})

describe('the end', () => {
  test('a stream that stops before its finish reason is not complete', () => {
    expect(runText(hello).facts.isComplete).toBe(false)
    expect(runText('').facts.isComplete).toBe(false)
  })

  test('a choice that began after another had finished must finish too', () => {
    const second = data({ choices: [{ index: 1, delta: { content: 'x' }, finish_reason: null }] })
    expect(runText(hello + stop + second).facts.isComplete).toBe(false)
  })

  test('reads and completes a last event without its blank line', () => {
    const { forwarded, facts } = runText(`${hello + stop}data: [DONE]`)
    expect(forwarded).toBe(hello + stop + done)
    expect(facts.isTerminated).toBe(true)
  })

  test('drops an incomplete last event', () => {
    const { forwarded, facts } = runText(`${hello}data: {"choices":[{"ind`)
    expect(forwarded).toBe(hello)
    expect(facts).toMatchObject({ isComplete: false, failure: null })
  })

  test('reads and removes an unrequested usage chunk without its blank line', () => {
    const usage = data({ choices: [], usage: { prompt_tokens: 3, completion_tokens: 4 } })
    const { forwarded, facts } = runText(hello + stop + usage.trimEnd())
    expect(forwarded).toBe(hello + stop + done)
    expect(facts.usage).toMatchObject({ input: 3, output: 4 })
  })

  test('removes whatever follows [DONE], and the answer stays complete', () => {
    const { forwarded, facts } = runText(
      `${hello + stop + done}: bye\n\n${data({ error: { message: 'late' } })}`,
    )
    expect(forwarded).toBe(`${hello + stop + done}: bye\n\n`)
    expect(facts).toMatchObject({ failure: null, isComplete: true })
  })
})

test('never throws on mutated streams, and reads them alike however they are split', () => {
  const mutation = fc.tuple(fc.nat(), fc.nat(255))
  const golden = fc.constantFrom(...STREAMS.map(({ text }) => text))
  fc.assert(
    fc.property(
      golden,
      fc.array(mutation, { minLength: 1, maxLength: 8 }),
      fc.nat(),
      (text, mutations, cut) => {
        const bytes = encoder.encode(text)
        for (const [at, byte] of mutations) bytes[at % bytes.length] = byte
        const at = cut % bytes.length
        expect(run([bytes.slice(0, at), bytes.slice(at)], false)).toEqual(run([bytes], false))
      },
    ),
    { numRuns: 1500, seed: 7 },
  )
})
