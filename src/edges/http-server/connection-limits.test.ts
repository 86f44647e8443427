import { afterEach, expect, test } from 'bun:test'
import type { Endpoint } from '../../serve/ports/exchange.ts'
import { type EchoServer, type EchoServerOptions, reply, startEchoServer } from './testing/echo-server.ts'
import { get, head, nextRound, RawConnection } from './testing/raw-client.ts'

let echo: EchoServer
const opened: RawConnection[] = []

afterEach(async () => {
  for (const connection of opened.splice(0)) connection.destroy()
  await echo.server.close()
})

function start(limits: { total?: number; perAddress?: number }, more: EchoServerOptions = {}): void {
  const unlimited = { total: 1_000, perAddress: 1_000 }
  echo = startEchoServer({ connectionLimits: { ...unlimited, ...limits, isExempt: () => false }, ...more })
}

/** Resolves when the server has it. */
async function connect(): Promise<RawConnection> {
  const before = echo.server.connectionGauges
  const connection = new RawConnection(echo.port)
  opened.push(connection)
  const hasHappened = () => {
    const now = echo.server.connectionGauges
    return now.open > before.open || now.dismissed > before.dismissed || refusals(now) > refusals(before)
  }
  while (!hasHappened()) await nextRound()
  return connection
}

function refusals({ refusedByTotal, refusedByAddress }: EchoServer['server']['connectionGauges']): number {
  return refusedByTotal + refusedByAddress
}

function slow(): { readonly endpoint: Endpoint; release(): void } {
  const released = Promise.withResolvers<void>()
  const handle = () => released.promise.then(() => reply('slow'))
  return { endpoint: { method: 'GET', path: '/slow', handle }, release: () => released.resolve() }
}

test('closes the longest idle connection when there are too many', async () => {
  start({ total: 3 })
  const used = await connect()
  void used.send(get('/echo'))
  await used.answer()
  const first = await connect()
  const second = await connect()
  const third = await connect()
  expect(await first.ended()).toBe('closed')
  const fourth = await connect()
  expect(await second.ended()).toBe('closed')
  for (const connection of [used, third, fourth]) {
    void connection.send(get('/echo'))
    expect((await connection.answer()).status).toBe(200)
  }
  expect(echo.server.connectionGauges).toMatchObject({ open: 3, max: 3, dismissed: 2, refusedByTotal: 0 })
})

test.each([
  ['total', { total: 2 }],
  ['address', { perAddress: 2 }],
])('refuses with 503 beyond the limit by %s when all are busy, and cuts none of them', async (_, limits) => {
  const { endpoint, release } = slow()
  start(limits, { endpoints: [endpoint] })
  const busy = [await connect(), await connect()]
  for (const connection of busy) void connection.send(get('/slow'))
  while (echo.server.pending < 2) await nextRound()
  const refused = await connect()
  const { status, headers, body } = await refused.answer()
  expect([status, headers['retry-after'], headers.connection]).toEqual([503, '1', 'close'])
  expect(JSON.parse(body.toString()).error.code).toBe('temporarily_unavailable')
  expect(await refused.ended()).toBe('closed')
  release()
  for (const connection of busy) expect((await connection.answer()).body.toString()).toBe('slow')
  expect([refusals(echo.server.connectionGauges), echo.server.connectionGauges.dismissed]).toEqual([1, 0])
})

test('closes a client that has its answer and goes on sending to make room for others', async () => {
  start({ total: 1 })
  const sending = await connect()
  void sending.send(head('POST /unread HTTP/1.1', 'Host: x', 'Content-Length: 5000'))
  await sending.answer()
  const other = await connect()
  void other.send(get('/echo'))
  expect((await other.answer()).status).toBe(200)
})

test('closes idle connections while no descriptor is left, and logs it once', async () => {
  let isShort = false
  const notices: string[] = []
  const log = {
    request: () => undefined,
    attemptFailed: () => undefined,
    notice: (what: string) => void notices.push(what),
    trouble: () => undefined,
  }
  start({}, { log, descriptorGuard: { check: () => !isShort, close: () => undefined } })
  const waiting = [await connect(), await connect(), await connect()]
  isShort = true
  await waiting[0]?.ended()
  while (echo.server.connectionGauges.descriptorShortages < 3) await Bun.sleep(10)
  isShort = false
  expect(notices).toEqual(['no file descriptor is left; idle connections are closed'])
  const { max } = echo.server.connectionGauges
  while (echo.server.connectionGauges.max <= max) await Bun.sleep(10)
})
