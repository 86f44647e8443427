import { afterEach, describe, expect, test } from 'bun:test'
import type { Endpoint, Exchange, Reply } from '../../serve/ports/exchange.ts'
import {
  type EchoServer,
  type EchoServerOptions,
  readEcho,
  reply,
  startEchoServer,
} from './testing/echo-server.ts'
import { ask, get, head, nextRound, post, RawConnection } from './testing/raw-client.ts'

const started: EchoServer[] = []
const opened: RawConnection[] = []

afterEach(async () => {
  for (const connection of opened.splice(0)) connection.destroy()
  for (const { server } of started.splice(0)) await server.close()
})

function start(options: EchoServerOptions = {}): EchoServer {
  const echo = startEchoServer(options)
  started.push(echo)
  return echo
}

function open({ port }: EchoServer): RawConnection {
  const connection = new RawConnection(port)
  opened.push(connection)
  return connection
}

/** An endpoint `/slow` that answers when the test lets it. */
function slow() {
  const begun = Promise.withResolvers<Exchange>()
  const released = Promise.withResolvers<void>()
  const endpoint: Endpoint = {
    method: 'GET',
    path: '/slow',
    handle: async (exchange) => {
      begun.resolve(exchange)
      await released.promise
      return reply('slow')
    },
  }
  return { endpoint, begun: begun.promise, release: () => released.resolve() }
}

describe('a connection', () => {
  test('serves one request after another', async () => {
    const connection = open(start())
    for (let turn = 0; turn < 200; turn += 1) {
      void connection.send(turn % 2 === 0 ? get(`/echo?${turn}`) : post(`/echo?${turn}`, `body ${turn}`))
      const { query, body } = readEcho(await connection.answer())
      expect([query, body]).toEqual([[[String(turn), '']], turn % 2 === 0 ? null : `body ${turn}`])
    }
  })

  test.each(['/items/1', '/nowhere', '/refuse', '/fail'])(
    'serves ten thousand requests for %s, a thousand sent at once',
    async (path) => {
      const connection = open(start())
      const statuses = new Set<number>()
      for (let round = 0; round < 10; round += 1) {
        void connection.send(get(path).repeat(999) + get('/items/last'))
        for (let turn = 1; turn < 1_000; turn += 1) statuses.add((await connection.answer()).status)
        expect(readEcho(await connection.answer()).params).toEqual({ id: 'last' })
      }
      expect(statuses.size).toBe(1)
    },
  )

  test('keeps 64 KB of pipelined requests, and closes after its answer beyond that', async () => {
    const filler = `x-filler: ${'x'.repeat(8_000)}`
    const sizes = [7, 10].map(async (count) => {
      const { endpoint, begun, release } = slow()
      const echo = start({ endpoints: [endpoint] })
      const connection = open(echo)
      void connection.send(get('/slow'))
      await begun
      await connection.sendApart(Array.from({ length: count }, () => get('/echo', filler)))
      await nextRound()
      release()
      expect((await connection.answer()).body.toString()).toBe('slow')
      if (count === 7) for (let turn = 0; turn < count; turn += 1) await connection.answer()
      else expect(await connection.ended()).toBe('closed')
      return echo.begun.length
    })
    expect(await Promise.all(sizes)).toEqual([8, 1])
  })

  test('keeps no more than 64 KB that arrive in one packet with its request', async () => {
    const echo = start()
    const connection = open(echo)
    void connection.send(get('/echo') + get('/echo', `x-filler: ${'x'.repeat(60_000)}`).repeat(20))
    expect((await connection.answer()).status).toBe(200)
    expect(await connection.ended()).toBe('closed')
    expect(echo.begun.length).toBeLessThan(10)
  })

  test('answers in the order of requests, even if the first is slow', async () => {
    const { endpoint, begun, release } = slow()
    const connection = open(start({ endpoints: [endpoint] }))
    void connection.send(get('/slow') + get('/echo?second') + post('/echo', 'third'))
    await begun
    void connection.send(get('/echo?fourth'))
    await nextRound()
    expect(connection.unread.length).toBe(0)
    release()
    expect((await connection.answer()).body.toString()).toBe('slow')
    expect(readEcho(await connection.answer()).query).toEqual([['second', '']])
    expect(readEcho(await connection.answer()).body).toBe('third')
    expect(readEcho(await connection.answer()).query).toEqual([['fourth', '']])
  })

  test('provides the address of the client', async () => {
    const { endpoint, begun, release } = slow()
    const connection = open(start({ endpoints: [endpoint] }))
    void connection.send(get('/slow'))
    expect((await begun).address).toBe('127.0.0.1')
    release()
  })

  test('is one of five hundred at the same time', async () => {
    const echo = start()
    const connections = Array.from({ length: 500 }, () => open(echo))
    const answers = await Promise.all(
      connections.map(async (connection, turn) => {
        void connection.send(get(`/items/${turn}`))
        return readEcho(await connection.answer()).params.id
      }),
    )
    expect(answers).toEqual(connections.map((_, turn) => String(turn)))
  })
})

describe('a connection that its client wants closed', () => {
  test.each(['close', 'Close', 'CLOSE', 'keep-alive, close', 'x,Close', ' close ,y', 'close, close'])(
    'by %p is closed after its answer, and no more requests are read',
    async (value) => {
      const echo = start()
      const connection = open(echo)
      void connection.send(get('/echo', `Connection: ${value}`) + get('/smuggled'))
      const answer = await connection.answer()
      expect([answer.status, answer.headers.connection]).toEqual([200, 'close'])
      expect(await connection.ended()).toBe('closed')
      expect([connection.unread.length, echo.begun]).toEqual([0, ['GET /echo']])
    },
  )

  test('by a second header line is closed', async () => {
    const connection = open(start())
    void connection.send(get('/echo', 'Connection: x', 'Connection: close'))
    await connection.answer()
    expect(await connection.ended()).toBe('closed')
  })

  test.each(['keep-alive', 'Keep-Alive', 'closed', 'not-close', '', 'upgrade'])(
    'is not closed for %p',
    async (value) => {
      const connection = open(start())
      void connection.send(get('/echo', `Connection: ${value}`, 'Upgrade: h2c') + get('/echo?next'))
      expect((await connection.answer()).headers.connection).not.toBe('close')
      expect(readEcho(await connection.answer()).query).toEqual([['next', '']])
    },
  )

  test('with HTTP/1.0 is closed after its answer', async () => {
    const echo = start()
    const connection = open(echo)
    void connection.send(head('GET /echo HTTP/1.0') + get('/smuggled'))
    expect((await connection.answer()).status).toBe(200)
    expect(await connection.ended()).toBe('closed')
    expect([connection.unread.length, echo.begun]).toEqual([0, ['GET /echo']])
  })

  test('with HTTP/1.0 stays open only if both sides agree', async () => {
    const connection = open(start())
    void connection.send(head('GET /echo HTTP/1.0', 'Connection: Keep-Alive'))
    const answer = await connection.answer()
    if (answer.headers.connection?.toLowerCase() === 'keep-alive') {
      void connection.send(head('GET /echo?next HTTP/1.0'))
      expect(readEcho(await connection.answer()).query).toEqual([['next', '']])
    }
    expect(await connection.ended()).toBe('closed')
  })

  test('still delivers a large answer completely', async () => {
    const body = 'x'.repeat(20_000_000)
    const connection = open(start({ endpoints: [{ method: 'GET', path: '/a', handle: () => reply(body) }] }))
    connection.pause()
    void connection.send(get('/a', 'Connection: close'))
    await nextRound()
    connection.resume()
    expect((await connection.answer()).body.length).toBe(body.length)
    expect(await connection.ended()).toBe('closed')
  })
})

describe('a client that closes its side after its request', () => {
  test('gets its answer', async () => {
    for (const bytes of [get('/echo'), post('/echo', 'hello'), get('/echo') + get('/items/1')]) {
      const connection = open(start())
      void connection.send(bytes)
      connection.finish()
      const count = bytes.split('HTTP/1.1').length - 1
      for (let turn = 0; turn < count; turn += 1) expect((await connection.answer()).status).toBe(200)
      expect(await connection.ended()).toBe('closed')
    }
  })

  test('counts as disconnected while its answer is pending', async () => {
    const left = Promise.withResolvers<void>()
    const handle = (exchange: Exchange) => {
      exchange.onLeave(left.resolve)
      return new Promise<Reply>(() => undefined)
    }
    const connection = open(start({ endpoints: [{ method: 'GET', path: '/a', handle }] }))
    void connection.send(get('/a'))
    connection.finish()
    await left.promise
    await connection.ended()
  })

  test('before any request is disconnected', async () => {
    const connection = open(start())
    connection.finish()
    expect(await connection.ended()).toBe('closed')
  })

  test('in the middle of a head is disconnected, and no handler runs', async () => {
    const echo = start()
    const connection = open(echo)
    void connection.send(get('/echo').slice(0, -2))
    connection.finish()
    await connection.ended()
    expect(echo.begun).toEqual([])
  })
})

describe('a client that disconnects', () => {
  test.each(['destroy', 'reset'] as const)('is reported to its handler (%s)', async (leave) => {
    const { endpoint, begun, release } = slow()
    const echo = start({ endpoints: [endpoint] })
    const connection = open(echo)
    void connection.send(get('/slow'))
    const exchange = await begun
    const left = Promise.withResolvers<void>()
    exchange.onLeave(() => left.resolve())
    let wasRemovedListenerCalled = false
    exchange.onLeave(() => {
      wasRemovedListenerCalled = true
    })()
    connection[leave]()
    await left.promise
    const late = Promise.withResolvers<void>()
    exchange.onLeave(() => late.resolve())
    await late.promise
    expect(wasRemovedListenerCalled).toBe(false)
    release()
    while (echo.server.pending > 0) await nextRound()
    expect(echo.troubles).toEqual([])
  })

  test('before it has read a large answer is no longer waited for', async () => {
    const large: Endpoint = { method: 'GET', path: '/large', handle: () => reply('x'.repeat(20_000_000)) }
    const echo = start({ endpoints: [large] })
    const connection = open(echo)
    connection.pause()
    void connection.send(get('/large') + get('/smuggled'))
    while (echo.server.pending === 0) await nextRound()
    connection.reset()
    while (echo.server.pending > 0) await nextRound()
    expect([echo.begun, echo.troubles]).toEqual([['GET /large'], []])
  })

  test('is noticed even when it has sent more than the handler reads', async () => {
    const { endpoint, begun, release } = slow()
    const echo = start({ endpoints: [endpoint] })
    const connection = open(echo)
    void connection.send(get('/slow') + get('/echo').repeat(100_000))
    const left = Promise.withResolvers<void>()
    ;(await begun).onLeave(() => left.resolve())
    for (let round = 0; round < 10; round += 1) await nextRound()
    connection.reset()
    await left.promise
    release()
    expect((await ask(echo.port, get('/echo'))).status).toBe(200)
  })

  test('is noticed even behind pipelined requests', async () => {
    const { endpoint, begun, release } = slow()
    const echo = start({ endpoints: [endpoint] })
    const connection = open(echo)
    void connection.send(get('/slow') + get('/echo'))
    const left = Promise.withResolvers<void>()
    ;(await begun).onLeave(() => left.resolve())
    connection.reset()
    await left.promise
    release()
    await nextRound()
    expect(echo.troubles).toEqual([])
    expect((await ask(echo.port, get('/echo'))).status).toBe(200)
  })

  test('while its body is read fails only that read', async () => {
    const failed = Promise.withResolvers<unknown>()
    const endpoint: Endpoint = {
      method: 'POST',
      path: '/read',
      handle: (exchange) =>
        Promise.resolve(exchange.readText()).then(
          () => reply('read'),
          (error) => {
            failed.resolve(error)
            throw error
          },
        ),
    }
    const echo = start({ endpoints: [endpoint] })
    const connection = open(echo)
    await connection.sendApart([`${head('POST /read HTTP/1.1', 'Host: x', 'Content-Length: 5')}hel`])
    while (echo.begun.length === 0) await nextRound()
    connection.reset()
    expect(String(await failed.promise)).toContain('ended before it was complete')
    expect((await ask(echo.port, get('/echo'))).status).toBe(200)
  })
})

describe('a client that sends more before its answer', () => {
  const MUCH = 300_000

  test('is noticed when it disconnects', async () => {
    const { endpoint, begun } = slow()
    const connection = open(start({ endpoints: [endpoint] }))
    void connection.send(get('/slow') + 'x'.repeat(MUCH))
    const left = Promise.withResolvers<void>()
    ;(await begun).onLeave(left.resolve)
    await nextRound()
    connection.destroy()
    await left.promise
  })

  test('than is kept gets its answer, and has to repeat the rest', async () => {
    const { endpoint, begun, release } = slow()
    const echo = start({ endpoints: [endpoint] })
    const connection = open(echo)
    void connection.send(get('/slow'))
    await begun
    await connection.sendApart(Array.from({ length: 8 }, () => get('/echo').repeat(MUCH / 50)))
    release()
    expect((await connection.answer()).headers.connection).toBe('close')
    expect(await connection.ended()).toBe('closed')
    expect(echo.begun).toEqual(['GET /slow'])
  })
})
