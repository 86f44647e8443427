import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { EventTooLong, MAX_EVENT_BYTES, SseFramer } from './sse-events.ts'

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** Every event as text, and what was left over. */
function frame(chunks: readonly Uint8Array[]): { events: string[]; rest: string | null } {
  const framer = new SseFramer()
  const events: string[] = []
  for (const chunk of chunks) {
    const framed = framer.push(chunk)
    let start = 0
    for (const end of framed?.ends ?? []) {
      events.push(decoder.decode(framed?.bytes.subarray(start, end)))
      start = end
    }
    if (framed) expect(framed.ends.at(-1)).toBe(framed.bytes.length)
  }
  const rest = framer.finish()
  return { events, rest: rest && decoder.decode(rest) }
}

function cut(bytes: Uint8Array, sizes: readonly number[]): Uint8Array[] {
  const chunks: Uint8Array[] = []
  let start = 0
  for (const size of sizes) {
    chunks.push(bytes.slice(start, start + size))
    start += size
  }
  return [...chunks, bytes.slice(start)]
}

describe('framing', () => {
  const cases: readonly (readonly [string, string, string[], string | null])[] = [
    ['one event', 'data: a\n\n', ['data: a\n\n'], null],
    ['two events', 'data: a\n\ndata: b\n\n', ['data: a\n\n', 'data: b\n\n'], null],
    ['CRLF', 'data: a\r\n\r\ndata: b\r\n\r\n', ['data: a\r\n\r\n', 'data: b\r\n\r\n'], null],
    ['CR alone', 'data: a\r\rdata: b\r\r', ['data: a\r\r'], 'data: b\r\r'],
    ['mixed line ends', 'data: a\r\n\ndata: b\n\r\n', ['data: a\r\n\n', 'data: b\n\r\n'], null],
    ['comment', ': ka\n\ndata: a\n\n', [': ka\n\n', 'data: a\n\n'], null],
    ['comment without blank line', ': ka\ndata: a\n\n', [': ka\ndata: a\n\n'], null],
    ['stray blank lines', '\n\ndata: a\n\n\n', ['\n', '\n', 'data: a\n\n', '\n'], null],
    ['several lines', 'event: e\ndata: a\ndata: b\n\n', ['event: e\ndata: a\ndata: b\n\n'], null],
    ['unterminated', 'data: a\n\ndata: b', ['data: a\n\n'], 'data: b'],
    ['nothing', '', [], null],
  ]
  for (const [name, text, events, rest] of cases) {
    test(name, () => expect(frame([encoder.encode(text)])).toEqual({ events, rest }))
  }

  test('any cutting gives the same events', () => {
    const piece = fc.constantFrom(
      'data: é😀',
      ': ka',
      'event: x',
      '\n',
      '\r\n',
      '\r',
      '\n\n',
      '\r\n\r\n',
      'data:',
    )
    const pieces = fc.array(piece, { maxLength: 30 }).map((all) => encoder.encode(all.join('')))
    fc.assert(
      fc.property(pieces, fc.array(fc.nat(9), { maxLength: 60 }), (bytes, sizes) => {
        expect(frame(cut(bytes, sizes))).toEqual(frame([bytes]))
      }),
      { numRuns: 500, seed: 1 },
    )
  })

  test('nothing is lost or invented', () => {
    fc.assert(
      fc.property(fc.string(), fc.array(fc.nat(5)), (text, sizes) => {
        const { events, rest } = frame(cut(encoder.encode(text.replaceAll('a', '\n')), sizes))
        expect(events.join('') + (rest ?? '')).toBe(
          decoder.decode(encoder.encode(text.replaceAll('a', '\n'))),
        )
      }),
      { numRuns: 200, seed: 2 },
    )
  })
})

test('a chunk of whole events is given back as it is, and its front part without a copy', () => {
  const whole = encoder.encode('data: a\n\ndata: b\n\n')
  expect(new SseFramer().push(whole)?.bytes).toBe(whole)
  const torn = encoder.encode('data: a\n\ndata: b')
  expect(new SseFramer().push(torn)?.bytes.buffer).toBe(torn.buffer)
})

test('events given out stay as they were when more bytes come', () => {
  const framer = new SseFramer()
  framer.push(encoder.encode('data: fi'))
  const first = framer.push(encoder.encode('rst\n\ndata: se'))
  framer.push(encoder.encode('cond\n\n'))
  expect(decoder.decode(first?.bytes)).toBe('data: first\n\n')
})

test('a huge event in tiny pieces takes linear time', () => {
  const bytes = encoder.encode(`data: ${'x'.repeat(4_000_000)}\n\n`)
  const framer = new SseFramer()
  const startedAt = performance.now()
  let length = 0
  for (let start = 0; start < bytes.length; start += 64) {
    length += framer.push(bytes.subarray(start, start + 64))?.bytes.length ?? 0
  }
  expect(length).toBe(bytes.length)
  // A scan or a copy per piece would touch some 120 GB.
  expect(performance.now() - startedAt).toBeLessThan(4000)
  expect(framer.pendingLength).toBe(0)
})

test('an event without end is given up, and one of the greatest length is not', () => {
  const piece = new Uint8Array(MAX_EVENT_BYTES / 4).fill(0x78)
  const framer = new SseFramer()
  for (let count = 0; count < 4; count++) expect(framer.push(piece)).toBeNull()
  expect(framer.pendingLength).toBe(MAX_EVENT_BYTES)
  expect(() => framer.push(piece.subarray(0, 1))).toThrow(EventTooLong)
})
