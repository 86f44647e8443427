import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { MessageWriter } from './message-writer.ts'

/** A socket that takes so many bytes and no more. */
function socketTaking(mostBytes: number) {
  const taken: Buffer[] = []
  const write = (data: string | Bun.BufferSource, offset = 0, length?: number): number => {
    const bytes = typeof data === 'string' ? Buffer.from(data) : bytesOf(data, offset, length)
    taken.push(Buffer.from(bytes.subarray(0, mostBytes)))
    return Math.min(bytes.length, mostBytes)
  }
  return { write, text: (rest: Uint8Array) => Buffer.concat([...taken, rest]).toString() }
}

function bytesOf(data: Bun.BufferSource, offset: number, length?: number): Buffer {
  if (!ArrayBuffer.isView(data)) throw new Error('nobody sends bare memory')
  return Buffer.from(data.buffer, data.byteOffset + offset, length ?? data.byteLength - offset)
}

const HEAD = 'POST / HTTP/1.1\r\ncontent-length: '
// Around the length from which on a request has memory of its own.
const length = fc.oneof(fc.nat({ max: 300 }), fc.integer({ min: 19_000, max: 19_300 }))
const body = fc
  .tuple(fc.constantFrom('a', 'é', '€', '😀'), length)
  .map(([character, count]) => character.repeat(count).slice(0, count - (count % 2)))

/** How much a socket takes, how much of the head is given apart, and in how many pieces the body is. */
const splits = fc.record({ part: fc.nat(), cut: fc.nat(), pieces: fc.integer({ min: 1, max: 4 }) })

/** Each but the last has an even length, so that no character is cut. */
function inPieces(text: string, count: number): string[] {
  const size = 2 * Math.ceil(text.length / count / 2)
  return Array.from({ length: count }, (_, place) => text.slice(place * size, (place + 1) * size))
}

test('a message is sent whole, however much of it a socket takes at once', () => {
  fc.assert(
    fc.property(body, fc.constantFrom('', 'x'.repeat(8_200)), splits, (text, more, { part, cut, pieces }) => {
      const all = HEAD.replace('/', `/${more}`)
      const start = all.slice(0, cut % all.length)
      const request = `${all}${Buffer.byteLength(text)}\r\n\r\n${text}`
      const socket = socketTaking(part % (Buffer.byteLength(request) + 10))
      const writer = new MessageWriter()
      const given = pieces === 1 ? text : inPieces(text, pieces)
      const unsent = writer.write(socket, { start, head: all.slice(start.length), body: given })
      if (unsent === 'closed') throw new Error(unsent)
      // What is left of one message is not touched by the next.
      for (const count of [1_000, 60_000])
        writer.write(socketTaking(0), { head: HEAD, body: 'z'.repeat(count) })
      expect(socket.text(unsent ?? new Uint8Array())).toBe(request)
    }),
  )
})

test.each(['', 'x'.repeat(50_000)])('a socket that is closed takes nothing', (text) => {
  expect(new MessageWriter().write({ write: () => -1 }, { head: HEAD, body: text })).toBe('closed')
})
