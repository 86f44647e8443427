import { afterEach, describe, expect, test } from 'bun:test'
import type { Endpoint } from '../../serve/ports/exchange.ts'
import {
  codeOf,
  type EchoServer,
  type EchoServerOptions,
  readEcho,
  reply,
  startEchoServer,
} from './testing/echo-server.ts'
import { ask, get, head, nextRound, RawConnection } from './testing/raw-client.ts'

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

/** A connection that has been used once, so it is known to be accepted. */
async function open({ port }: EchoServer): Promise<RawConnection> {
  const connection = new RawConnection(port)
  opened.push(connection)
  void connection.send(get('/echo'))
  expect((await connection.answer()).status).toBe(200)
  return connection
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await nextRound()
}

/** `/wait` waits until its client disconnects or the server interrupts it, `/stream` until the test ends it. */
function lasting() {
  let controller: ReadableStreamDefaultController<Uint8Array> | null = null
  const cancelled = Promise.withResolvers<void>()
  const left = Promise.withResolvers<void>()
  const wait: Endpoint = {
    method: 'GET',
    path: '/wait',
    handle: async (exchange) => {
      await new Promise<void>((resolve) => exchange.onLeave(resolve))
      left.resolve()
      throw new Error('left')
    },
  }
  const stream: Endpoint = {
    method: 'GET',
    path: '/stream',
    handle: () => {
      const body = new ReadableStream<Uint8Array>({
        start: (given) => {
          controller = given
          given.enqueue(Buffer.from('one'))
        },
        cancel: () => cancelled.resolve(),
      })
      return reply(body, { 'content-type': 'text/event-stream' })
    },
  }
  const endStream = () => controller?.close()
  return { endpoints: [wait, stream], endStream, cancelled: cancelled.promise, left: left.promise }
}

describe('the number of pending requests', () => {
  test('counts answers that are not completely sent', async () => {
    const { endpoints, endStream } = lasting()
    const echo = start({ endpoints })
    const { server } = echo
    expect(server.pending).toBe(0)
    const idle = await open(echo)
    await until(() => server.pending === 0)
    const streaming = await open(echo)
    void streaming.send(get('/stream'))
    await streaming.arrived(1)
    expect(server.pending).toBe(1)
    const waiting = await open(echo)
    void waiting.send(get('/wait'))
    await until(() => server.pending === 2)
    endStream()
    expect((await streaming.answer()).body.toString()).toBe('one')
    await until(() => server.pending === 1)
    waiting.reset()
    await until(() => server.pending === 0)
    void idle.send('GET /ec')
    await nextRound()
    expect(server.pending).toBe(0)
  })

  test('counts an answer that the client is slow to read', async () => {
    const large: Endpoint = { method: 'GET', path: '/large', handle: () => reply('x'.repeat(20_000_000)) }
    const echo = start({ endpoints: [large] })
    const connection = await open(echo)
    connection.pause()
    void connection.send(get('/large'))
    await until(() => echo.begun.includes('GET /large'))
    for (let round = 0; round < 20; round += 1) await nextRound()
    expect(echo.server.pending).toBe(1)
    connection.resume()
    expect((await connection.answer()).body.length).toBe(20_000_000)
    await until(() => echo.server.pending === 0)
  })
})

describe('endConnections', () => {
  test('closes each after its next answer', async () => {
    const { endpoints, endStream } = lasting()
    const echo = start({ endpoints })
    const kept = await open(echo)
    const streaming = await open(echo)
    void streaming.send(get('/stream'))
    await streaming.arrived(1)
    echo.server.endConnections()
    void kept.send(get('/echo?last') + get('/smuggled'))
    const last = await kept.answer()
    expect([readEcho(last).query, last.headers.connection]).toEqual([[['last', '']], 'close'])
    expect(await kept.ended()).toBe('closed')
    expect(echo.begun).not.toContain('GET /smuggled')
    expect((await ask(echo.port, get('/nowhere'))).headers.connection).toBe('close')
    endStream()
    expect((await streaming.answer()).body.toString()).toBe('one')
  })
})

describe('stopListening', () => {
  test('refuses new connections and serves open ones', async () => {
    const echo = start()
    const kept = await open(echo)
    echo.server.stopListening()
    const late = new RawConnection(echo.port)
    opened.push(late)
    expect(await late.ended()).toBe('reset')
    void kept.send(get('/echo?old'))
    expect(readEcho(await kept.answer()).query).toEqual([['old', '']])
    void kept.send(get('/echo?older'))
    expect(readEcho(await kept.answer()).query).toEqual([['older', '']])
  })

  test('leaves the port to other servers that share it', async () => {
    const first = start({ sharesPort: true })
    const second = start({ sharesPort: true, port: first.port })
    first.server.stopListening()
    for (let turn = 0; turn < 20; turn += 1) expect((await ask(first.port, get('/echo'))).status).toBe(200)
    expect([first.begun.length, second.begun.length]).toEqual([0, 20])
  })
})

describe('a shared port', () => {
  test('spreads connections over all servers', async () => {
    const first = start({ sharesPort: true })
    const second = start({ sharesPort: true, port: first.port })
    const answers = Array.from({ length: 64 }, () => ask(first.port, get('/echo')))
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual(answers.map(() => 200))
    expect(first.begun.length + second.begun.length).toBe(64)
    expect(Math.min(first.begun.length, second.begun.length)).toBeGreaterThan(0)
  })

  test('requires both servers to share it', () => {
    const first = start()
    expect(() => start({ sharesPort: true, port: first.port })).toThrow()
  })
})

describe('stopAccepting', () => {
  test('refuses requests on open connections and closes them', async () => {
    const state: Endpoint = {
      method: 'GET',
      path: '/state',
      handle: () => reply('up'),
      isServedWhileClosing: true,
    }
    const echo = start({ endpoints: [state] })
    const kept = await open(echo)
    echo.server.stopAccepting()
    void kept.send(get('/state'))
    expect((await kept.answer()).body.toString()).toBe('up')
    void kept.send(get('/echo') + get('/state'))
    const refusal = await kept.answer()
    expect([refusal.status, codeOf(refusal), refusal.headers.connection]).toEqual([
      503,
      'shutting_down',
      'close',
    ])
    expect(await kept.ended()).toBe('closed')
  })

  test('refuses before the body is sent', async () => {
    const echo = start()
    echo.server.stopAccepting()
    const lines = ['Host: x', 'Content-Length: 5', 'Expect: 100-continue']
    expect((await ask(echo.port, head('POST /echo HTTP/1.1', ...lines))).status).toBe(503)
  })
})

describe('endWaiting', () => {
  test('refuses requests that wait for an answer, and lets streams finish', async () => {
    const { endpoints, endStream, left } = lasting()
    const echo = start({ endpoints })
    const streaming = await open(echo)
    const waiting = await open(echo)
    void streaming.send(get('/stream'))
    await streaming.arrived(1)
    void waiting.send(get('/wait'))
    await until(() => echo.server.pending === 2)
    echo.server.endWaiting()
    await left
    const refusal = await waiting.answer()
    expect([refusal.status, codeOf(refusal)]).toEqual([503, 'shutting_down'])
    endStream()
    expect((await streaming.answer()).body.toString()).toBe('one')
    expect(echo.troubles).toEqual([])
  })
})

describe('close', () => {
  test('ends every connection, even busy ones', async () => {
    const { endpoints, cancelled, left } = lasting()
    const echo = start({ endpoints })
    const idle = await open(echo)
    const [streaming, waiting, sending, asking] = await Promise.all([
      open(echo),
      open(echo),
      open(echo),
      open(echo),
    ])
    void streaming.send(get('/stream'))
    await streaming.arrived(1)
    void waiting.send(get('/wait'))
    void sending.send(`${head('POST /echo HTTP/1.1', 'Host: x', 'Content-Length: 5')}hel`)
    void asking.send('GET /ec')
    await until(() => echo.server.pending === 3)
    await echo.server.close()
    await Promise.all([idle, streaming, waiting, sending, asking].map((connection) => connection.ended()))
    await Promise.all([cancelled, left])
    await until(() => echo.server.pending === 0)
    const late = new RawConnection(echo.port)
    opened.push(late)
    expect(await late.ended()).toBe('reset')
    expect(echo.troubles).toEqual([])
  })

  test('may be called twice', async () => {
    const echo = start()
    await echo.server.close()
    await echo.server.close()
  })
})
