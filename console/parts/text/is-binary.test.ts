import { expect, test } from 'bun:test'
import { isBinary } from './is-binary.ts'

test('tells audio from text', () => {
  const audio = new Uint8Array([0x49, 0x44, 0x33, 0x04, 0x00, 0xff, 0xfb, 0x90])
  expect(isBinary(new TextDecoder().decode(audio))).toBe(true)
  expect(isBinary('RIFF\u0000')).toBe(true)
  expect(isBinary('{"text": "Größe 🎵"}\r\n\t1\n00:00:00,000 --> 00:00:01,000')).toBe(false)
  expect(isBinary('')).toBe(false)
})
