import { afterEach, describe, expect, test } from 'bun:test'
import type { Endpoint, Reply } from '../../serve/ports/exchange.ts'
import { type EchoServer, readEcho, reply, startEchoServer } from './testing/echo-server.ts'
import { get, head, nextRound, RawConnection } from './testing/raw-client.ts'

let echo: EchoServer | null = null
let connection: RawConnection

afterEach(async () => {
  connection.destroy()
  await echo?.server.close()
  echo = null
})

type Handle = () => Response | Reply

/** A server whose `/a` answers so, and a connection to it. */
function open(handle: Handle): RawConnection {
  const endpoint: Endpoint = { method: 'GET', path: '/a', handle: () => handle() }
  echo = startEchoServer({ endpoints: [endpoint] })
  connection = new RawConnection(echo.port)
  return connection
}

const STREAM = { 'content-type': 'text/event-stream' }
const encoder = new TextEncoder()

/** A stream that is never complete at once: a complete body could be sent with its length. */
function streamOf(...pieces: readonly string[]): ReadableStream<Uint8Array> {
  const left = [...pieces]
  return new ReadableStream({
    pull: async (controller) => {
      await nextRound()
      const piece = left.shift()
      if (piece === undefined) controller.close()
      else controller.enqueue(encoder.encode(piece))
    },
  })
}

/** A stream that a test feeds while it is sent. */
function feed() {
  const cancelled = Promise.withResolvers<void>()
  let held: ReadableStreamDefaultController<Uint8Array> | null = null
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      held = controller
    },
    cancel: () => cancelled.resolve(),
  })
  const controller = held as unknown as ReadableStreamDefaultController<Uint8Array>
  return {
    body,
    cancelled: cancelled.promise,
    push: (piece: string) => controller.enqueue(encoder.encode(piece)),
    close: () => controller.close(),
    fail: () => controller.error(new Error('the source broke')),
  }
}

const kinds: Readonly<Record<string, (body: ReadableStream<Uint8Array>) => Handle>> = {
  parts: (body) => () => reply(body, { ...STREAM }),
  'a response': (body) => () => new Response(body, { headers: STREAM }),
}

for (const [kind, make] of Object.entries(kinds)) {
  describe(`a stream as ${kind}`, () => {
    test('is sent in chunks, and the connection stays open', async () => {
      open(make(streamOf('one', 'two', 'three')))
      void connection.send(get('/a') + get('/echo?next'))
      const answer = await connection.answer()
      expect([answer.status, answer.framing, answer.body.toString()]).toEqual([200, 'chunked', 'onetwothree'])
      expect(answer.headers['content-type']).toBe('text/event-stream')
      expect(readEcho(await connection.answer()).query).toEqual([['next', '']])
    })

    test('is not ended by empty pieces', async () => {
      open(make(streamOf('', 'one', '', '', 'two', '')))
      void connection.send(get('/a') + get('/echo?next'))
      expect((await connection.answer()).body.toString()).toBe('onetwo')
      expect(readEcho(await connection.answer()).query).toEqual([['next', '']])
    })

    test('may be empty', async () => {
      open(make(streamOf()))
      void connection.send(get('/a') + get('/echo?next'))
      expect((await connection.answer()).body.length).toBe(0)
      expect(readEcho(await connection.answer()).query).toEqual([['next', '']])
    })

    test('may contain bytes that look like chunk framing', async () => {
      const piece = '0\r\n\r\nHTTP/1.1 200 OK\r\n\r\n'
      open(make(streamOf(piece, '\r\n', piece)))
      void connection.send(get('/a') + get('/echo?next'))
      expect((await connection.answer()).body.toString()).toBe(`${piece}\r\n${piece}`)
      expect(readEcho(await connection.answer()).query).toEqual([['next', '']])
    })

    test('of pieces of any size arrives complete', async () => {
      const pieces = [1, 15, 16, 255, 256, 4_095, 65_535, 65_536, 1_048_577].map((size) => 'x'.repeat(size))
      open(make(streamOf(...pieces)))
      void connection.send(get('/a'))
      expect((await connection.answer()).body.toString()).toBe(pieces.join(''))
    })

    test('is sent piece by piece as it is produced', async () => {
      const source = feed()
      open(make(source.body))
      void connection.send(get('/a'))
      for (const piece of ['first', 'second', 'third']) {
        source.push(piece)
        const before = connection.unread.length
        await connection.arrived(before + piece.length)
        while (!connection.unread.includes(piece)) await connection.arrived(connection.unread.length + 1)
      }
      source.close()
      expect((await connection.answer()).body.toString()).toBe('firstsecondthird')
    })

    test('that fails breaks off, and never looks complete', async () => {
      const source = feed()
      open(make(source.body))
      void connection.send(get('/a') + get('/smuggled'))
      source.push('first')
      await connection.arrived(1)
      while (!connection.unread.includes('first')) await connection.arrived(connection.unread.length + 1)
      source.fail()
      await connection.ended()
      expect(connection.answer()).rejects.toThrow()
      expect(connection.unread.toString()).not.toContain('0\r\n\r\n')
      expect(echo?.begun).toEqual(['GET /a'])
    })

    test('that fails before its first piece is an error or breaks off', async () => {
      const source = feed()
      open(make(source.body))
      void connection.send(get('/a', 'Connection: close'))
      source.fail()
      await connection.ended()
      const received = connection.unread.toString()
      expect(received.startsWith('HTTP/1.1 500') || !received.includes('0\r\n\r\n')).toBe(true)
    })

    test('with HTTP/1.0 has no chunks and ends by closing', async () => {
      open(make(streamOf('one', 'two')))
      void connection.send(head('GET /a HTTP/1.0'))
      const answer = await connection.answer()
      expect([answer.framing, answer.body.toString()]).toEqual(['close', 'onetwo'])
      expect(await connection.ended()).toBe('closed')
    })

    test('with HTTP/1.0 keep-alive ends by closing too', async () => {
      open(make(streamOf('one', 'two')))
      void connection.send(head('GET /a HTTP/1.0', 'Connection: keep-alive'))
      const answer = await connection.answer()
      expect([answer.framing, answer.body.toString()]).toEqual(['close', 'onetwo'])
      expect(answer.headers.connection?.toLowerCase()).not.toBe('keep-alive')
    })

    test('with connection: close is complete before the connection closes', async () => {
      open(make(streamOf('one', 'two')))
      void connection.send(get('/a', 'Connection: close'))
      const answer = await connection.answer()
      expect([answer.headers.connection, answer.body.toString()]).toEqual(['close', 'onetwo'])
      expect(await connection.ended()).toBe('closed')
    })

    test('delays the answers to pipelined requests', async () => {
      const source = feed()
      open(make(source.body))
      void connection.send(get('/a') + get('/echo?next'))
      source.push('first')
      await connection.arrived(1)
      await nextRound()
      expect(connection.unread.toString()).not.toContain('next')
      source.close()
      expect((await connection.answer()).body.toString()).toBe('first')
      expect(readEcho(await connection.answer()).query).toEqual([['next', '']])
    })

    test.each(['destroy', 'reset'] as const)(
      'is cancelled when its client disconnects (%s)',
      async (leave) => {
        for (const pieces of [[], ['first']]) {
          const source = feed()
          open(make(source.body))
          void connection.send(get('/a'))
          for (const piece of pieces) source.push(piece)
          if (pieces.length > 0) await connection.arrived(1)
          else while (echo?.begun.length === 0) await nextRound()
          connection[leave]()
          await source.cancelled
          while (echo !== null && echo.server.pending > 0) await nextRound()
          await echo?.server.close()
        }
      },
    )

    test('that never ends is cancelled when its client disconnects', async () => {
      const cancelled = Promise.withResolvers<void>()
      const piece = new Uint8Array(10_000)
      const body = new ReadableStream<Uint8Array>({
        pull: (controller) => controller.enqueue(piece),
        cancel: () => cancelled.resolve(),
      })
      open(make(body))
      void connection.send(get('/a'))
      await connection.arrived(100_000)
      connection.reset()
      await cancelled.promise
    })
  })
}

test('a stream of anything but bytes breaks off, and leaks no bytes of other clients', async () => {
  const body = new ReadableStream({
    start: (controller) => {
      controller.enqueue('of no use')
      controller.close()
    },
  })
  open(() => ({ status: 200, headers: {}, body }))
  void connection.send(get('/a'))
  await connection.ended()
  expect(connection.unread.toString()).toEndWith('\r\n\r\n')
})

test('a stream with a known length is not chunked', async () => {
  open(() => reply(streamOf('hello'), { 'content-length': '5' }))
  void connection.send(get('/a') + get('/echo?next'))
  expect((await connection.answer()).body.toString()).toBe('hello')
  expect(readEcho(await connection.answer()).query).toEqual([['next', '']])
})

describe('a client that reads slowly', () => {
  const PIECE = new Uint8Array(65_536).fill(120)
  const PIECES = 800

  test('receives 52 MB no faster than it reads', async () => {
    let pulled = 0
    const body = new ReadableStream<Uint8Array>(
      {
        pull: (controller) => {
          pulled += 1
          controller.enqueue(PIECE)
          if (pulled === PIECES) controller.close()
        },
      },
      { highWaterMark: 0 },
    )
    const source = open(() => reply(body, { ...STREAM }))
    source.pause()
    void source.send(get('/a'))
    await standstill(() => pulled)
    // What the kernel holds for both sides is a few megabytes.
    expect(pulled * PIECE.length).toBeLessThan(16_000_000)
    expect(pulled).toBeGreaterThan(0)
    const taken = await takeAll(source, () => pulled)
    expect(taken.bytes).toBeGreaterThanOrEqual(PIECES * PIECE.length)
    expect(taken.mostAheadBytes).toBeLessThan(16_000_000)
  })

  test('receives its own bytes, whatever other clients are sent meanwhile', async () => {
    const sent = { a: 0, b: 0 }
    const streamAll = (letter: 'a' | 'b') => {
      const piece = encoder.encode(letter.repeat(40_000))
      return new ReadableStream<Uint8Array>(
        {
          pull: (controller) => {
            sent[letter] += 1
            controller.enqueue(piece)
            if (sent[letter] === 300) controller.close()
          },
        },
        { highWaterMark: 0 },
      )
    }
    const endpoint = (letter: 'a' | 'b'): Endpoint => ({
      method: 'GET',
      path: `/${letter}`,
      handle: () => reply(streamAll(letter), { ...STREAM }),
    })
    echo = startEchoServer({ endpoints: [endpoint('a'), endpoint('b')] })
    connection = new RawConnection(echo.port)
    connection.pause()
    void connection.send(get('/a'))
    await standstill(() => sent.a)
    expect(sent.a).toBeLessThan(300)
    const other = new RawConnection(echo.port)
    void other.send(get('/b'))
    expect((await other.answer()).body.toString()).toBe('b'.repeat(12_000_000))
    other.destroy()
    connection.resume()
    const { body } = await connection.answer()
    expect(body.length).toBe(12_000_000)
    expect(body.indexOf('b')).toBe(-1)
  })

  test('is not served ahead of its reading when it pipelines', async () => {
    const answer = 'x'.repeat(250_000)
    const client = open(() => reply(answer))
    client.pause()
    void client.send(get('/a').repeat(400))
    await standstill(() => echo?.begun.length ?? 0)
    expect(echo?.begun.length).toBeLessThan(100)
    client.resume()
    for (let count = 0; count < 400; count += 1)
      expect((await client.answer()).body.length).toBe(answer.length)
  })
})

/** Resolves when a number has not changed for a while. */
async function standstill(look: () => number): Promise<void> {
  for (let before = -1; before !== look(); await Bun.sleep(30)) before = look()
}

/** Reads to the end in bites, forgetting what it read, and says how far the source was ahead at most. */
async function takeAll(
  client: RawConnection,
  pulled: () => number,
): Promise<{ readonly bytes: number; readonly mostAheadBytes: number }> {
  let bytes = 0
  let mostAheadBytes = 0
  for (let isAtEnd = false; !isAtEnd; ) {
    client.resume()
    await client.arrived(1)
    client.pause()
    const bite = client.take()
    bytes += bite.length
    mostAheadBytes = Math.max(mostAheadBytes, pulled() * 65_536 - bytes)
    isAtEnd = bite.subarray(-5).toString() === '0\r\n\r\n'
    await nextRound()
  }
  return { bytes, mostAheadBytes }
}
