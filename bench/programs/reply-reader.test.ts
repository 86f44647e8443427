import { describe, expect, test } from 'bun:test'
import { ReplyReader } from './reply-reader.ts'

const WHOLE = 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello'
const STREAM =
  'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n' +
  '9\r\ndata: 1\n\n\r\n12\r\ndata: 2\n\ndata: 3\n\n\r\n0\r\n\r\n'

/** Every way to cut the reply in two, and one byte at a time. */
function* waysToCut(text: string): Generator<Buffer[]> {
  const bytes = Buffer.from(text)
  for (let at = 1; at < bytes.length; at++) yield [bytes.subarray(0, at), bytes.subarray(at)]
  yield [...bytes].map((byte) => Buffer.from([byte]))
}

describe('however the bytes are cut', () => {
  test('a reply with a length is read to its end and no sooner', () => {
    for (const pieces of waysToCut(WHOLE)) {
      const reader = new ReplyReader()
      for (const [index, piece] of pieces.entries()) {
        expect(reader.isComplete).toBe(false)
        reader.push(piece)
        expect(reader.isComplete).toBe(index === pieces.length - 1)
      }
      expect(reader).toMatchObject({ status: 200, bodyBytes: 5, closes: false })
    }
  })

  test('a chunked stream is read to its end, its events counted', () => {
    for (const pieces of waysToCut(STREAM)) {
      const reader = new ReplyReader()
      for (const piece of pieces) reader.push(piece)
      expect(reader).toMatchObject({ status: 200, bodyBytes: 27, events: 3, isComplete: true, closes: true })
    }
  })
})

test('a chunked stream that was cut off is not complete', () => {
  const reader = new ReplyReader()
  reader.push(Buffer.from(STREAM.slice(0, -5)))
  reader.close()
  expect(reader.isComplete).toBe(false)
})

test('a reply without a length ends with the connection', () => {
  const reader = new ReplyReader()
  reader.push(Buffer.from('HTTP/1.1 502 Bad Gateway\r\n\r\nsorry'))
  expect(reader.isComplete).toBe(false)
  reader.close()
  expect(reader).toMatchObject({ status: 502, bodyBytes: 5, isComplete: true })
})
