import { expect, test } from 'bun:test'
import { asObject } from '../../../wire/json-values.ts'
import { DeltaPattern } from './delta-pattern.ts'

const written = (text: string, index = 0) => {
  const data = { type: 'content_block_delta', index, delta: { type: 'text_delta', text } }
  const bytes = new TextEncoder().encode(`event: content_block_delta\ndata: ${JSON.stringify(data)}\n\n`)
  return { data, bytes }
}

function learned(from: string): DeltaPattern {
  const pattern = new DeltaPattern()
  const { data, bytes } = written(from)
  pattern.learn(bytes, asObject(data) ?? {})
  return pattern
}

const match = (pattern: DeltaPattern, { bytes }: { bytes: Uint8Array }) =>
  pattern.match(bytes, 0, bytes.length)

test('counts an event like the first without parsing it', () => {
  for (const first of ['a', 'héllo 😀', 'text', '']) {
    expect(match(learned(first), written('naïve 漢😀'))).toBe(9)
    expect(match(learned(first), written(''))).toBe(0)
  }
})

test('leaves an event with other members to the parser', () => {
  expect(match(learned('a'), written('b', 1))).toBeNull()
  expect(match(learned('a'), written('quoted "b"'))).toBeNull()
  expect(match(learned('a'), written('line\n'))).toBeNull()
  expect(match(new DeltaPattern(), written('b'))).toBeNull()
})

test('stops searching a stream without a pattern', () => {
  const pattern = new DeltaPattern()
  for (let index = 0; index < 9; index++) {
    const { data, bytes } = written('a', index)
    expect(match(pattern, { bytes })).toBeNull()
    pattern.learn(bytes, asObject(data) ?? {})
  }
  expect(match(pattern, written('b', 3))).toBe(1)
})
