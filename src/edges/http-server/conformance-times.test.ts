import { afterEach, expect, test } from 'bun:test'
import type { Endpoint } from '../../serve/ports/exchange.ts'
import { type EchoServer, type EchoServerOptions, reply, startEchoServer } from './testing/echo-server.ts'
import { get, head, post, postChunked, RawConnection } from './testing/raw-client.ts'

const HEAD_SECONDS = 0.3
const IDLE_SECONDS = 0.9

let echo: EchoServer
const opened: RawConnection[] = []

afterEach(async () => {
  for (const connection of opened.splice(0)) connection.destroy()
  await echo.server.close()
})

function start(options: EchoServerOptions = {}): void {
  echo = startEchoServer({ headSeconds: HEAD_SECONDS, idleSeconds: IDLE_SECONDS, ...options })
}

/** How many seconds a connection lasts to which these bytes are sent, and what was said on it. */
async function lifeOf(
  ...parts: readonly string[]
): Promise<{ readonly seconds: number; readonly said: string }> {
  const connection = new RawConnection(echo.port)
  opened.push(connection)
  const startedAtMs = performance.now()
  for (const part of parts) void connection.send(part)
  await connection.ended()
  return { seconds: (performance.now() - startedAtMs) / 1_000, said: connection.unread.toString() }
}

// Timers may fire a little before their time by another clock, and any amount later on a busy machine.
const EARLY_SECONDS = 0.15

test('closes a connection that stops in the middle of a head after the head timeout', async () => {
  start()
  const lives = await Promise.all([
    lifeOf('G'),
    lifeOf('GET /echo HT'),
    lifeOf(head('GET /echo HTTP/1.1', 'Host: x').slice(0, -1)),
    lifeOf(get('/echo'), 'GET /ec'),
  ])
  for (const { seconds } of lives) {
    expect(seconds).toBeGreaterThan(HEAD_SECONDS - EARLY_SECONDS)
    expect(seconds).toBeLessThan(IDLE_SECONDS)
  }
  expect(lives[3]?.said).toStartWith('HTTP/1.1 200')
  expect(echo.begun).toEqual(['GET /echo'])
})

test('does not blame a client for the time in which the process itself did not run', async () => {
  start({ headSeconds: 2 })
  const connection = new RawConnection(echo.port)
  opened.push(connection)
  await connection.send('GET /echo HTTP/1.1\r\n')
  Bun.sleepSync(4_000)
  // The check for timeouts is due now, and runs before these bytes are read.
  void connection.send('Host: x\r\nconnection: close\r\n\r\n')
  await connection.ended()
  expect(connection.unread.toString()).toStartWith('HTTP/1.1 200')
})

test('closes a connection whose head drips in after the head timeout', async () => {
  start({ idleSeconds: 60 })
  const connection = new RawConnection(echo.port)
  opened.push(connection)
  void connection.send('GET /echo HTTP/1.1\r\nHost: x\r\n')
  const drip = setInterval(() => void connection.send('x: y\r\n'), 20)
  await connection.ended()
  clearInterval(drip)
  expect(echo.begun).toEqual([])
})

test('closes an idle connection after the idle timeout, not the head timeout', async () => {
  start()
  const lives = await Promise.all([
    lifeOf(get('/echo')),
    lifeOf(get('/nowhere')),
    lifeOf(post('/echo', 'hello')),
    lifeOf(post('/echo', 'hello'), '\r\n'),
    lifeOf(head('POST /unread HTTP/1.1', 'Host: x', 'Content-Length: 5')),
    lifeOf(postChunked('/unread', '5\r\nhel')),
  ])
  for (const { seconds, said } of lives) {
    expect(said).toStartWith('HTTP/1.1 ')
    expect(seconds).toBeGreaterThan(IDLE_SECONDS - EARLY_SECONDS)
  }
})

test('closes a connection that sends only empty lines', async () => {
  start()
  const connection = new RawConnection(echo.port)
  opened.push(connection)
  const drip = setInterval(() => void connection.send('\r\n'), 20)
  await connection.ended()
  clearInterval(drip)
})

test('closes a connection that never sends anything', async () => {
  start()
  expect((await lifeOf()).said).toBe('')
})

test('keeps connections that are busy for longer than both timeouts', async () => {
  const later = () => Bun.sleep(IDLE_SECONDS * 1_000 + 400)
  const slow: Endpoint = { method: 'GET', path: '/slow', handle: () => later().then(() => reply('slow')) }
  const silent: Endpoint = {
    method: 'GET',
    path: '/silent',
    handle: () => {
      const body = new ReadableStream<Uint8Array>({
        start: async (controller) => {
          controller.enqueue(Buffer.from('one'))
          await later()
          controller.enqueue(Buffer.from('two'))
          controller.close()
        },
      })
      return reply(body, { 'content-type': 'text/event-stream' })
    },
  }
  start({ endpoints: [slow, silent] })
  const answers = await Promise.all(
    ['/slow', '/silent'].map(async (path) => {
      const connection = new RawConnection(echo.port)
      opened.push(connection)
      void connection.send(get(path))
      const first = (await connection.answer()).body.toString()
      // The timeout restarts when the answer has been sent.
      void connection.send(get('/echo'))
      return [first, (await connection.answer()).status]
    }),
  )
  expect(answers).toEqual([
    ['slow', 200],
    ['onetwo', 200],
  ])
})

test('refuses a body that drips in after the body timeout', async () => {
  start({ bodyLimits: { maxBytes: 4_000, timeoutMs: 200 }, idleSeconds: 60 })
  const connection = new RawConnection(echo.port)
  opened.push(connection)
  void connection.send(head('POST /echo HTTP/1.1', 'Host: x', 'Content-Length: 4000'))
  const drip = setInterval(() => void connection.send('x'), 20)
  const answer = await connection.answer()
  expect([answer.status, answer.body.toString()]).toEqual([400, expect.stringContaining('0.2 seconds')])
  await connection.ended()
  clearInterval(drip)
})

test('gives a request after a long pause the full time for its body', async () => {
  // Each silence is much shorter than the limit, so that a busy machine does not make one too long; both are longer.
  const idleSeconds = 3
  start({ idleSeconds })
  const connection = new RawConnection(echo.port)
  opened.push(connection)
  void connection.send(get('/echo'))
  await connection.answer()
  await Bun.sleep(idleSeconds * 1_000 * 0.55)
  void connection.send(head('POST /echo HTTP/1.1', 'Host: x', 'Content-Length: 2'))
  await Bun.sleep(idleSeconds * 1_000 * 0.55)
  void connection.send('ab')
  expect((await connection.answer()).status).toBe(200)
})

test.each(['a stream', 'a whole answer'])('disconnects a client that does not read %s', async (kind) => {
  const piece = new Uint8Array(1_000_000)
  const cancelled = Promise.withResolvers<void>()
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(piece),
    cancel: () => cancelled.resolve(),
  })
  const handle = () => reply(kind === 'a stream' ? body : 'x'.repeat(50_000_000))
  start({ endpoints: [{ method: 'GET', path: '/much', handle }] })
  const connection = new RawConnection(echo.port)
  opened.push(connection)
  connection.pause()
  void connection.send(get('/much'))
  if (kind === 'a stream') await cancelled.promise
  while (echo.server.pending > 0 || echo.begun.length === 0) await Bun.sleep(20)
  connection.resume()
  await connection.ended()
})
