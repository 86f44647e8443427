import { expect, test } from 'bun:test'
import { EventPattern } from '../../../wire/event-pattern.ts'
import { findAddedText } from './tap-usage.ts'

const written = (text: string, index = 0) => {
  const data = { type: 'content_block_delta', index, delta: { type: 'text_delta', text } }
  const bytes = new TextEncoder().encode(`event: content_block_delta\ndata: ${JSON.stringify(data)}\n\n`)
  return { data, bytes }
}

function learn(pattern: EventPattern, from: string, index = 0): EventPattern {
  const { data, bytes } = written(from, index)
  const added = findAddedText(data)
  if (added !== null) pattern.learn(bytes, added)
  return pattern
}

const learned = (from: string) => learn(new EventPattern(), from)

const match = (pattern: EventPattern, { bytes }: { bytes: Uint8Array }) =>
  pattern.match(bytes, 0, bytes.length)

test('counts an event like the first without parsing it', () => {
  for (const first of ['a', 'héllo 😀', 'text', '']) {
    expect(match(learned(first), written('naïve 漢😀'))).toBe(9)
    expect(match(learned(first), written(''))).toBe(0)
  }
})

test('counts escaped characters', () => {
  expect(match(learned('a'), written('quoted "b"'))).toBe(10)
  expect(match(learned('a'), written('line\n\u0001'))).toBe(6)
})

test('does not learn from a delta without text, or with other members', () => {
  const delta = (value: object) => ({ type: 'content_block_delta', index: 0, delta: value })
  expect(findAddedText(delta({ type: 'signature_delta', signature: 'a' }))).toBeNull()
  expect(findAddedText(delta({ type: 'text_delta', text: 'a', citations: [] }))).toBeNull()
  expect(findAddedText({ ...delta({ type: 'text_delta', text: 'a' }), type: 'other' })).toBeNull()
})

test('leaves an event with other members to the parser', () => {
  expect(match(learned('a'), written('b', 1))).toBeNull()
  expect(match(learned('a'), { bytes: new TextEncoder().encode('event: ping\ndata: {}\n\n') })).toBeNull()
  expect(match(new EventPattern(), written('b'))).toBeNull()
})

test('stops searching a stream without a pattern', () => {
  const pattern = new EventPattern()
  for (let index = 0; index < 9; index++) {
    expect(match(pattern, written('a', index))).toBeNull()
    learn(pattern, 'a', index)
  }
  expect(match(pattern, written('b', 3))).toBe(1)
})
