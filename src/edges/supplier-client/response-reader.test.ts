import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { MalformedMessage } from '../../wire/head-fields.ts'
import { ResponseReader } from './response-reader.ts'

/** What a reader passed to its sink, and what it says about the connection. */
function read(pieces: readonly Buffer[]) {
  const seen = { statuses: [] as number[], types: [] as (string | null)[], body: '' }
  const bytes: Uint8Array[] = []
  const reader = new ResponseReader({
    takeHead: (head) => {
      seen.statuses.push(head.status)
      seen.types.push(head.get('content-type'))
      return {
        takeBody: (piece) => bytes.push(piece),
        takeWhole: (piece, from) => bytes.push(piece.subarray(from)),
      }
    },
  })
  for (const piece of pieces) if (!reader.isComplete) reader.push(piece)
  seen.body = Buffer.concat(bytes).toString('latin1')
  return { ...seen, isComplete: reader.isComplete, staysOpen: reader.staysOpen, isWhole: reader.end() }
}

const whole = (text: string) => [Buffer.from(text, 'latin1')]

/** The same bytes in any pieces. */
function cut(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const places = [...new Set(cuts.map((place) => place % (bytes.length + 1)))].sort(
    (one, other) => one - other,
  )
  return [0, ...places].map((place, index) => bytes.subarray(place, places[index] ?? bytes.length))
}

const body = fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes))
const cuts = fc.array(fc.nat(), { maxLength: 30 })
const interim = fc.constantFrom(
  '',
  'HTTP/1.1 100 Continue\r\n\r\n',
  'HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n',
)

const HEAD = 'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n'

/** A response, its body, and whether it says itself where it ends. */
const response = fc.oneof(
  fc.tuple(interim, body).map(([before, bytes]) => ({
    wire: Buffer.concat([Buffer.from(`${before}${HEAD}content-length: ${bytes.length}\r\n\r\n`), bytes]),
    bytes,
    saysItsEnd: true,
  })),
  fc.tuple(interim, fc.array(body, { maxLength: 5 }), fc.boolean()).map(([before, chunks, hasTrailer]) => {
    const full = chunks.filter((chunk) => chunk.length > 0)
    const framed = full.flatMap((chunk) => [
      Buffer.from(`${chunk.length.toString(16)}${hasTrailer ? ';a=b' : ''}\r\n`),
      chunk,
      Buffer.from('\r\n'),
    ])
    const end = Buffer.from(hasTrailer ? '0\r\nx: y\r\n\r\n' : '0\r\n\r\n')
    const head = Buffer.from(`${before}${HEAD}Transfer-Encoding: chunked\r\n\r\n`)
    return { wire: Buffer.concat([head, ...framed, end]), bytes: Buffer.concat(full), saysItsEnd: true }
  }),
  body.map((bytes) => ({
    wire: Buffer.concat([Buffer.from(`${HEAD}\r\n`), bytes]),
    bytes,
    saysItsEnd: false,
  })),
)

describe('a response', () => {
  test('is the same however it is cut into pieces', () => {
    fc.assert(
      fc.property(response, cuts, ({ wire, bytes, saysItsEnd }, places) => {
        expect(read(cut(wire, places))).toEqual({
          statuses: [200],
          types: ['text/plain'],
          body: bytes.toString('latin1'),
          isComplete: saysItsEnd,
          staysOpen: saysItsEnd,
          isWhole: true,
        })
      }),
    )
  })

  test('that is cut short is never taken for complete', () => {
    const saying = response.filter(({ saysItsEnd }) => saysItsEnd)
    fc.assert(
      fc.property(saying, fc.nat(), ({ wire }, length) => {
        const { isWhole, isComplete } = read([wire.subarray(0, length % wire.length)])
        expect({ isWhole, isComplete }).toEqual({ isWhole: false, isComplete: false })
      }),
    )
  })

  test('followed by other bytes is valid, but its connection is not reused', () => {
    fc.assert(
      fc.property(
        response,
        fc.uint8Array({ minLength: 1, maxLength: 20 }),
        ({ wire, bytes, saysItsEnd }, more) => {
          fc.pre(saysItsEnd)
          const response = read([Buffer.concat([wire, more])])
          expect(response).toMatchObject({
            body: bytes.toString('latin1'),
            isComplete: true,
            staysOpen: false,
          })
        },
      ),
    )
  })

  test('made of any bytes is read or refused with MalformedMessage', () => {
    const tokens = fc.constantFrom(
      'HTTP/1.1 200 OK',
      '\r\n',
      '\n',
      'content-length: ',
      'transfer-encoding: chunked',
    )
    const noise = fc.array(fc.oneof(tokens, fc.string({ maxLength: 8, unit: 'binary' })), { maxLength: 20 })
    fc.assert(
      fc.property(noise, cuts, (parts, places) => {
        try {
          read(cut(Buffer.from(parts.join(''), 'latin1'), places))
        } catch (error) {
          expect(error).toBeInstanceOf(MalformedMessage)
        }
      }),
    )
  })
})

describe('refused is a response', () => {
  test.each([
    ['of another protocol', 'SSH-2.0-OpenSSH_9\r\n\r\n'],
    ['of another version', 'HTTP/2 200\r\n\r\n'],
    ['without a status', 'HTTP/1.1 OK\r\n\r\n'],
    ['with a status of too many digits', 'HTTP/1.1 2000 OK\r\n\r\n'],
    ['with a line that is no field', 'HTTP/1.1 200 OK\r\nhello\r\n\r\n'],
    ['with a blank in a name', 'HTTP/1.1 200 OK\r\nContent-Length : 5\r\n\r\nhello'],
    ['with a folded line', 'HTTP/1.1 200 OK\r\na: b\r\n c: d\r\n\r\n'],
    ['with a bare line feed', 'HTTP/1.1 200 OK\r\na: b\ncontent-length: 0\r\n\r\n'],
    ['with a bare carriage return', 'HTTP/1.1 200 OK\r\na: b\rc\r\n\r\n'],
    ['with a zero byte', 'HTTP/1.1 200 OK\r\na: b\0\r\n\r\n'],
    ['of two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 5\r\ncontent-length: 6\r\n\r\nhello'],
    ['of a negative length', 'HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n'],
    ['of a length in another notation', 'HTTP/1.1 200 OK\r\ncontent-length: 0x5\r\n\r\nhello'],
    ['of a length beyond counting', `HTTP/1.1 200 OK\r\ncontent-length: ${'9'.repeat(20)}\r\n\r\n`],
    ['in an unknown transfer coding', 'HTTP/1.1 200 OK\r\ntransfer-encoding: gzip, chunked\r\n\r\n'],
    ['that switches to another protocol', 'HTTP/1.1 101 Switching Protocols\r\n\r\n'],
    ['that never comes to its point', 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(9)],
    ['whose head has no end', `HTTP/1.1 200 OK\r\na: ${'b'.repeat(70_000)}`],
    ['with a chunk of no size', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n\r\n'],
    ['with a chunk of a negative size', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n-1\r\n'],
    [
      'with a chunk beyond counting',
      `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${'f'.repeat(13)}\r\n`,
    ],
    [
      'with a chunk longer than it says',
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nabc\r\n0\r\n\r\n',
    ],
    [
      'with a size line of a bare line feed',
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\nab\r\n0\r\n\r\n',
    ],
    [
      'with an endless size line',
      `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1;${'a'.repeat(5_000)}`,
    ],
    [
      'with an endless trailer',
      `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\n${'a: b\r\n'.repeat(5_000)}`,
    ],
  ])('%s', (_, text) => expect(() => read(whole(text))).toThrow(MalformedMessage))
})

describe('a connection', () => {
  test.each([
    ['stays open after a length', 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok', true],
    ['stays open after the same length twice', 'HTTP/1.1 200 OK\r\ncontent-length: 2, 2\r\n\r\nok', true],
    ['is closed after a status without a body', 'HTTP/1.1 204 No Content\r\n\r\n', false],
    [
      'is closed when the supplier says so',
      'HTTP/1.1 200 OK\r\nConnection: Close\r\ncontent-length: 2\r\n\r\nok',
      false,
    ],
    ['is closed after a response of version 1.0', 'HTTP/1.0 200 OK\r\ncontent-length: 2\r\n\r\nok', false],
    [
      'is closed after a response whose length is said in two ways',
      'HTTP/1.1 200 OK\r\ncontent-length: 9\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n',
      false,
    ],
  ])('%s', (_, text, staysOpen) => {
    const response = read(whole(text))
    expect(response.isComplete).toBe(true)
    expect(response.staysOpen).toBe(staysOpen)
  })
})
