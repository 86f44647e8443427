import { expect, test } from 'bun:test'
import { closeLastEvent, siftEvents, type Verdict } from './sse-events.ts'

const encoder = new TextEncoder()

/** Events of two characters each, judged by their first. */
function sift(text: string, verdicts: Readonly<Record<string, Verdict>>) {
  const bytes = encoder.encode(text)
  const ends = Array.from({ length: bytes.length / 2 }, (_, index) => index * 2 + 2)
  const sifted = siftEvents(
    { bytes, ends },
    (all, start) => verdicts[String.fromCharCode(all[start] ?? 0)] ?? 'forward',
  )
  return { sifted: sifted === null ? null : new TextDecoder().decode(sifted), isSame: sifted === bytes }
}

test('untouched events are the very bytes that came', () => {
  expect(sift('a.b.c.', {})).toEqual({ sifted: 'a.b.c.', isSame: true })
})

test('removed events leave the others in order', () => {
  expect(sift('a.b.c.', { a: 'remove' }).sifted).toBe('b.c.')
  expect(sift('a.b.c.', { b: 'remove' }).sifted).toBe('a.c.')
  expect(sift('a.b.c.', { a: 'remove', b: 'remove', c: 'remove' }).sifted).toBeNull()
})

test('nothing goes on from an event that ends everything', () => {
  expect(sift('a.b.c.', { b: 'stop' }).sifted).toBe('a.')
  expect(sift('a.b.c.', { a: 'stop' }).sifted).toBeNull()
})

test('other bytes take the place of an event', () => {
  expect(sift('a.b.c.', { b: encoder.encode('xyz') }).sifted).toBe('a.xyzc.')
})

test('a last event is closed only when its data is whole', () => {
  const whole = closeLastEvent(encoder.encode('data: {"a":1}'))
  expect(new TextDecoder().decode(whole?.bytes)).toBe('data: {"a":1}\n\n')
  expect(whole?.ends).toEqual([15])
  expect(closeLastEvent(encoder.encode('data: {"a":'))).toBeNull()
  expect(closeLastEvent(encoder.encode(': comment'))).toBeNull()
  expect(closeLastEvent(encoder.encode('data: [DONE]'))?.ends).toEqual([14])
})
