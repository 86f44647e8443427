import { expect, test } from 'bun:test'
import { readSseEvent } from './sse-events.ts'

const read = (text: string) => readSseEvent(new TextEncoder().encode(text))

const CASES: readonly (readonly [string, string | null, string | null, boolean])[] = [
  ['data: {"a":1}\n\n', '{"a":1}', null, true],
  ['data:{"a":1}\n\n', '{"a":1}', null, true],
  ['data:  two spaces\n\n', ' two spaces', null, true],
  ['data: a\r\n\r\n', 'a', null, true],
  ['data: a\r\n\n', 'a', null, true],
  ['data: a\rdata: b\n\n', 'a\nb', null, true],
  ['data: a\r\r', 'a', null, true],
  ['data: a', 'a', null, true],
  ['data: a\ndata: b\n\n', 'a\nb', null, true],
  [': ka\ndata: a\n\n', 'a', null, true],
  ['event: error\ndata: a\n\n', 'a', 'error', true],
  ['data\n\n', '', null, true],
  ['data:\n\n', '', null, true],
  ['\uFEFFdata: a\n\n', 'a', null, true],
  [': ka\n\n', null, null, true],
  ['\n', null, null, true],
  ['id: 7\nretry: 10\n\n', null, null, true],
  ['<html>\n\n', null, null, false],
  ['{"error":{"message":"x"}}\n\n', null, null, false],
]

for (const [text, data, name, isRecognised] of CASES) {
  test(JSON.stringify(text), () => expect(read(text)).toEqual({ data, name, isRecognised }))
}
