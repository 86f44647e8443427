import { expect, spyOn, test } from 'bun:test'
import type { Socket } from 'bun'
import { MessageWriter } from '../../wire/message-writer.ts'
import { BodyBudget } from './body-budget.ts'
import { ClientConnection } from './client-connection.ts'
import type { ConnectionHost } from './connection-host.ts'
import { NO_LIMITS, OpenConnections } from './open-connections.ts'
import { RequestIds, type SocketExchange } from './socket-exchange.ts'
import { get } from './testing/raw-client.ts'

/** A connection without a socket that matters, and what was asked on it. */
function openConnection() {
  const asked: string[] = []
  const exchanges: SocketExchange[] = []
  const host: ConnectionHost = {
    clock: { nowMs: () => 0 },
    bodyLimits: { maxBytes: 1_000, timeoutMs: 1_000 },
    bodyBudget: new BodyBudget({ maxBytes: 1_000, maxBytesPerAccount: 1_000 }),
    headMs: 10_000,
    idleMs: 60_000,
    isDraining: false,
    roughlyNowMs: 0,
    dateLine: '',
    webSockets: 0,
    writer: new MessageWriter(),
    requestIds: new RequestIds(),
    connections: new OpenConnections(NO_LIMITS),
    dispatcher: {
      serve: async (exchange) => {
        asked.push(exchange.path)
        exchanges.push(exchange)
      },
      refuse: (error) => ({ status: 400, headers: {}, body: error.message }),
      note: () => undefined,
      report: () => undefined,
      isClosing: false,
    },
  }
  let isEnded = false
  const socket = {
    remoteAddress: '192.0.2.1',
    write: (data: string | Uint8Array, _offset?: number, size?: number) => size ?? data.length,
    pause: () => undefined,
    resume: () => undefined,
    shutdown: () => {
      isEnded = true
    },
  } as unknown as Socket<ClientConnection>
  return { connection: new ClientConnection(socket, host), asked, exchanges, isEnded: () => isEnded }
}

/** How much memory is allocated for a head of this size that comes byte by byte, in bytes per byte of it. */
function allocatedPerByte(size: number): number {
  const { connection, asked } = openConnection()
  const head = Buffer.from(get('/dripping', `x-filler: ${'x'.repeat(size)}`))
  const allocate = spyOn(Buffer, 'allocUnsafeSlow')
  try {
    for (let at = 0; at < head.length; at += 1) connection.receive(Buffer.from(head.subarray(at, at + 1)))
    expect(asked).toEqual(['/dripping'])
    return allocate.mock.calls.reduce((sum, [bytes]) => sum + bytes, 0) / head.length
  } finally {
    allocate.mockRestore()
  }
}

test('allocates little more than the size of a head that arrives byte by byte', () => {
  for (const size of [4_000, 16_000, 60_000]) expect(allocatedPerByte(size)).toBeLessThan(6)
})

test('finds the end of a head wherever it is split, even after empty lines', () => {
  const bytes = Buffer.from(`\r\n\r\n${get('/cut')}`)
  for (let first = 1; first < bytes.length; first += 1) {
    const { connection, asked } = openConnection()
    connection.receive(bytes.subarray(0, first))
    connection.receive(bytes.subarray(first))
    expect([first, asked]).toEqual([first, ['/cut']])
  }
})

test('reads a request of any size that arrives together with the rest of a refused body', async () => {
  const { connection, asked, exchanges, isEnded } = openConnection()
  const post = (path: string, length: number) =>
    `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-length: ${length}\r\n\r\n`
  connection.receive(Buffer.from(post('/first', 300_000) + 'x'.repeat(1_000)))
  const [first] = exchanges
  if (first === undefined) throw new Error('nothing was asked')
  connection.answer({ status: 413, headers: {}, body: 'too large' }, first)
  connection.receive(Buffer.from('x'.repeat(299_000) + post('/second', 200_000) + 'y'.repeat(150_000)))
  await new Promise((resolve) => setImmediate(resolve))
  expect(asked).toEqual(['/first', '/second'])
  expect(isEnded()).toBe(false)
})
