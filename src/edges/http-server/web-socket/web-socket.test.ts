import { afterEach, describe, expect, test } from 'bun:test'
import { GatewayError } from '../../../errors/gateway-error.ts'
import type { Endpoint } from '../../../serve/ports/exchange.ts'
import type { WebSocketChannel } from '../../../serve/ports/web-socket.ts'
import { BodyBudget } from '../body-budget.ts'
import { codeOf, type EchoServer, type EchoServerOptions, startEchoServer } from '../testing/echo-server.ts'
import { ask, get, nextRound, post, RawConnection } from '../testing/raw-client.ts'
import {
  closeFrame,
  EXAMPLE_ACCEPT,
  frame,
  handshake,
  OPCODES,
  openRaw,
  readFrames,
} from '../testing/web-socket-client.ts'

const started: EchoServer[] = []
const opened: RawConnection[] = []
const sockets: WebSocket[] = []

afterEach(async () => {
  for (const connection of opened.splice(0)) connection.destroy()
  for (const socket of sockets.splice(0)) socket.terminate()
  for (const { server } of started.splice(0)) await server.close()
})

/** `/talk` sends every message back; "busy" and "idle" change the state of the connection. */
function talking() {
  const channels: WebSocketChannel[] = []
  const ended: number[] = []
  const errors: GatewayError[] = []
  const releases: (() => void)[] = []
  const endpoint: Endpoint = {
    method: 'GET',
    path: '/talk',
    handle: () => {
      throw new GatewayError('upgrade_required', 'Connect with a WebSocket.')
    },
    acceptWebSocket: async (exchange) => {
      if (exchange.headers.get('authorization') === 'Bearer wrong') {
        throw new GatewayError('auth_invalid', 'The key is unknown.')
      }
      exchange.bodyOwner = 'someone'
      return (channel) => {
        const place = channels.push(channel) - 1
        return {
          receive: (text, release) => {
            if (text === 'busy' || text === 'idle') channel.setBusy(text === 'busy')
            if (text === 'fail') throw new Error('the inside')
            if (text.startsWith('keep')) releases.push(release)
            else release()
            channel.send(text)
          },
          interrupt: (error) => void errors.push(error),
          end: () => void ended.push(place),
        }
      }
    },
  }
  return { endpoint, channels, ended, errors, releases }
}

function start(options: EchoServerOptions = {}) {
  const talk = talking()
  const echo = startEchoServer({ ...options, endpoints: [talk.endpoint] })
  started.push(echo)
  return { ...talk, ...echo }
}

async function raw({ port }: EchoServer): Promise<RawConnection> {
  const connection = await openRaw(port, '/talk')
  opened.push(connection)
  return connection
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await nextRound()
}

/** The close code that these frames are answered with. */
async function closeCodeAfter(echo: EchoServer, ...frames: readonly Uint8Array[]): Promise<number | null> {
  const connection = await raw(echo)
  void connection.send(Buffer.concat(frames))
  await connection.ended()
  return readFrames(connection.unread).closeCode
}

async function messagesAfter(
  echo: EchoServer,
  count: number,
  parts: readonly Uint8Array[],
): Promise<readonly string[]> {
  const connection = await raw(echo)
  await connection.sendApart(parts)
  await until(() => readFrames(connection.unread).seen.length >= count || connection.ending !== null)
  return readFrames(connection.unread).seen
}

describe('the handshake', () => {
  test('is answered as RFC 6455 says', async () => {
    const { port, lines } = start()
    const connection = new RawConnection(port)
    opened.push(connection)
    void connection.send(handshake('/talk'))
    const { status, headers } = await connection.answer()
    expect(status).toBe(101)
    expect(headers['sec-websocket-accept']).toEqual(EXAMPLE_ACCEPT)
    expect(headers.upgrade).toEqual('websocket')
    expect(headers.connection).toEqual('upgrade')
    expect(headers['x-request-id']).toMatch(/^req_/)
    expect(headers['content-length']).toBeUndefined()
    expect(lines.map(({ status }) => status)).toEqual([101])
  })

  test.each([
    ['keep-alive, Upgrade', 'WebSocket'],
    ['upgrade', 'h2c, websocket'],
  ])('accepts Connection: %s and Upgrade: %s', async (connection, upgrade) => {
    const { port } = start()
    const head = handshake('/talk')
      .replace(': Upgrade', `: ${connection}`)
      .replace(': websocket', `: ${upgrade}`)
    expect((await ask(port, head)).status).toBe(101)
  })

  test('frames may come in the same packet', async () => {
    const { port } = start()
    const connection = new RawConnection(port)
    opened.push(connection)
    void connection.send(Buffer.concat([Buffer.from(handshake('/talk')), frame('early')]))
    expect((await connection.answer()).status).toBe(101)
    await until(() => readFrames(connection.unread).seen.length > 0)
    expect(readFrames(connection.unread).seen).toEqual(['early'])
  })

  test.each(['/echo', '/nowhere'])('at %s is refused with 426', async (path) => {
    const { port } = start()
    const answer = await ask(port, handshake(path))
    expect(answer.status).toBe(426)
    expect(answer.headers.upgrade).toBe('websocket')
    expect(answer.headers.connection).toBe('upgrade')
    expect(codeOf(answer)).toBe('upgrade_required')
  })

  test('of another version is refused with 426 and the version to use', async () => {
    const { port } = start()
    const answer = await ask(port, handshake('/talk').replace('Version: 13', 'Version: 8'))
    expect([answer.status, answer.headers['sec-websocket-version']]).toEqual([426, '13'])
  })

  test.each(['', 'c2hvcnQ=', 'dGhlIHNhbXBsZSBub25jZQ'])(
    'with the key %p is refused with 400',
    async (key) => {
      const { port } = start()
      const answer = await ask(port, handshake('/talk').replace(/Key: .*/, `Key: ${key}`))
      expect([answer.status, codeOf(answer)]).toEqual([400, 'invalid_request'])
    },
  )

  test('with a body is refused', async () => {
    const { port } = start()
    expect((await ask(port, `${handshake('/talk', 'Content-Length: 2')}hi`)).status).toBe(400)
  })

  test('is refused with the error of its endpoint', async () => {
    const { port } = start()
    const answer = await ask(port, handshake('/talk', 'Authorization: Bearer wrong'))
    expect([answer.status, codeOf(answer)]).toEqual([401, 'auth_invalid'])
  })

  test('of other protocols is ignored, and the request is served', async () => {
    const { port } = start()
    const h2c = [
      'Connection: Upgrade, HTTP2-Settings',
      'Upgrade: h2c',
      'HTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA',
    ]
    expect((await ask(port, get('/echo', ...h2c))).status).toBe(200)
    expect((await ask(port, post('/echo', '{}', ...h2c))).status).toBe(200)
    expect((await ask(port, post('/echo', '{}', 'Connection: Upgrade', 'Upgrade: websocket'))).status).toBe(
      200,
    )
    expect((await ask(port, get('/echo', 'Upgrade: websocket'))).status).toBe(200)
  })

  test('a plain GET gets the answer of its handler', async () => {
    const { port } = start()
    expect((await ask(port, get('/talk'))).status).toBe(426)
  })
})

describe('messages', () => {
  test('come back to the client of the platform in order', async () => {
    const { url } = start()
    const socket = new WebSocket(`${url.replace('http', 'ws')}/talk`)
    sockets.push(socket)
    const sent = [
      '',
      'ö€😀',
      'x'.repeat(3_900),
      ...Array.from({ length: 200 }, (_, index) => `message ${index}`),
    ]
    const received: unknown[] = []
    const isDone = new Promise<void>((resolve) => {
      socket.onmessage = ({ data }) => {
        received.push(data)
        if (received.length === sent.length) resolve()
      }
    })
    socket.onopen = () => {
      for (const text of sent) socket.send(text)
    }
    await isDone
    expect(received).toEqual(sent)
  })

  test('may arrive byte by byte', async () => {
    const bytes = Buffer.concat([frame('one'), frame('two')])
    expect(
      await messagesAfter(
        start(),
        2,
        [...bytes].map((byte) => Buffer.of(byte)),
      ),
    ).toEqual(['one', 'two'])
  })

  test('may be fragmented, with control frames in between', async () => {
    const text = Buffer.from('grüße')
    const parts = [
      frame(text.subarray(0, 3), { fin: false }),
      frame('still there?', { opcode: OPCODES.ping }),
      frame(text.subarray(3, 4), { opcode: OPCODES.continuation, fin: false }),
      frame('', { opcode: OPCODES.pong }),
      frame(text.subarray(4), { opcode: OPCODES.continuation }),
    ]
    expect(await messagesAfter(start(), 2, [Buffer.concat(parts)])).toEqual(['pong still there?', 'grüße'])
  })

  test.each([
    ['that are not masked', 1002, frame('open', { mask: false })],
    ['with a reserved bit', 1002, frame('rsv', { rsv1: true })],
    ['with an unknown opcode', 1002, frame('?', { opcode: 3 })],
    ['that continue nothing', 1002, frame('?', { opcode: OPCODES.continuation })],
    ['with a fragmented control frame', 1002, frame('', { opcode: OPCODES.ping, fin: false })],
    ['with a long control frame', 1002, frame('x'.repeat(126), { opcode: OPCODES.ping })],
    ['with an invalid close code', 1002, closeFrame(1005)],
    ['that begin within another', 1002, Buffer.concat([frame('a', { fin: false }), frame('b')])],
    ['that are not UTF-8', 1007, frame(Buffer.of(0xc3, 0x28))],
    ['that are cut within a character', 1007, frame(Buffer.of(0xe2, 0x82))],
    ['that are too large', 1009, frame('x'.repeat(4_001))],
    [
      'whose fragments are too large together',
      1009,
      Buffer.concat([
        frame('x'.repeat(3_000), { fin: false }),
        frame('x'.repeat(1_001), { opcode: OPCODES.continuation }),
      ]),
    ],
    ['of bytes', 1003, frame('bytes', { opcode: OPCODES.binary })],
    ['that its session fails to handle', 1011, frame('fail')],
  ])('%s close the connection with %d', async (_kind, code, bytes) => {
    const echo = start()
    expect(await closeCodeAfter(echo, frame('before'), bytes, frame('after'))).toBe(code)
    await until(() => echo.ended.length === 1)
  })

  test('are refused before their bytes come, when they announce too many', async () => {
    const echo = start()
    const head = Buffer.from([0x81, 0xff, 0, 0, 0, 0x7f, 0xff, 0xff, 0xff, 0xff, 1, 2, 3, 4])
    expect(await closeCodeAfter(echo, head)).toBe(1009)
  })

  test('that drip in too slowly close the connection', async () => {
    const echo = start({ bodyLimits: { maxBytes: 4_000, timeoutMs: 150 }, idleSeconds: 5 })
    const connection = await raw(echo)
    await connection.send(frame('slow', { fin: false }))
    const pinging = setInterval(() => void connection.send(frame('', { opcode: OPCODES.ping })), 20)
    await connection.ended().finally(() => clearInterval(pinging))
    expect(readFrames(connection.unread).closeCode).toBe(1008)
  })

  test('take memory until they are released, of their account', async () => {
    const budget = new BodyBudget({ maxBytes: 100_000, maxBytesPerAccount: 4_000 })
    const echo = start({ bodyBudget: budget })
    const [first, second] = [await raw(echo), await raw(echo)]
    await first.send(frame(`keep${'x'.repeat(3_000)}`))
    await until(() => echo.releases.length === 1)
    expect(budget.heldBytes).toBeGreaterThan(3_000)
    await second.send(frame('x'.repeat(2_000)))
    await second.ended()
    expect(readFrames(second.unread).closeCode).toBe(1013)
    echo.releases[0]?.()
    expect(budget.heldBytes).toBe(0)
    await first.send(frame('x'.repeat(2_000)))
    await until(() => readFrames(first.unread).seen.length === 2)
    await first.send(Buffer.concat([frame('', { opcode: OPCODES.pong }), frame('part', { fin: false })]))
    await until(() => budget.heldBytes > 0)
    first.destroy()
    await until(() => budget.heldBytes === 0)
    expect(budget.accounts).toBe(0)
  })
})

describe('pings', () => {
  test('are answered once to a client that does not read', async () => {
    const echo = start({ bodyLimits: { maxBytes: 10_000_000, timeoutMs: 5_000 } })
    const connection = await raw(echo)
    connection.pause()
    void connection.send(frame('x'.repeat(8_000_000)))
    await until(() => echo.channels[0]?.isBehind === true)
    const behindBytes = echo.channels[0]?.behindBytes ?? 0
    for (let turn = 0; turn < 100; turn += 1)
      await connection.send(frame(`${turn}`, { opcode: OPCODES.ping }))
    await connection.send(frame('idle'))
    await until(() => (echo.channels[0]?.behindBytes ?? 0) > behindBytes)
    connection.resume()
    await until(() => readFrames(connection.unread).seen.length >= 3)
    const { seen } = readFrames(connection.unread)
    expect(seen.filter((each) => each.startsWith('pong'))).toEqual(['pong 99'])
  })

  test('are sent to a silent client, which is disconnected when it does not answer', async () => {
    const echo = start({ idleSeconds: 0.6 })
    const connection = await raw(echo)
    await until(() => connection.ending !== null)
    expect(readFrames(connection.unread).seen).toEqual(['ping '])
    expect(echo.ended).toEqual([0])
  })

  test('keep a client that answers connected', async () => {
    const echo = start({ idleSeconds: 2 })
    const connection = await raw(echo)
    for (let pings = 1; pings <= 3; pings += 1) {
      await until(() => readFrames(connection.unread).seen.length >= pings)
      await connection.send(frame('', { opcode: OPCODES.pong }))
    }
    await connection.send(frame('here'))
    await until(() => readFrames(connection.unread).seen.includes('here'))
  })

  test('do not keep idle HTTP connections open', async () => {
    const echo = start({ idleSeconds: 0.5 })
    const socket = await raw(echo)
    const plain = new RawConnection(echo.port)
    opened.push(plain)
    void plain.send(get('/echo'))
    await plain.answer()
    const answering = setInterval(() => void socket.send(frame('', { opcode: OPCODES.pong })), 50)
    expect(await plain.ended().finally(() => clearInterval(answering))).toBe('closed')
    expect(socket.ending).toBeNull()
  })
})

describe('the end', () => {
  test.each([
    ['a code', closeFrame(4_000, 'done'), 4_000],
    ['no code', frame('', { opcode: OPCODES.close }), 1005],
  ])('of a client with %s is confirmed', async (_kind, bytes, code) => {
    const echo = start()
    expect(await closeCodeAfter(echo, bytes)).toBe(code)
    expect(echo.ended).toEqual([0])
  })

  test('is noticed when the client disconnects', async () => {
    const echo = start()
    const connection = await raw(echo)
    expect(echo.server.connectionGauges).toMatchObject({ open: 1, webSockets: 1 })
    connection.reset()
    await until(() => echo.ended.length === 1)
    expect(echo.server.connectionGauges).toMatchObject({ open: 0, webSockets: 0 })
  })

  test('waits for the client to take what was sent', async () => {
    const echo = start({ bodyLimits: { maxBytes: 10_000_000, timeoutMs: 5_000 } })
    const connection = await raw(echo)
    connection.pause()
    void connection.send(frame('x'.repeat(8_000_000)))
    await until(() => echo.channels[0]?.isBehind === true)
    echo.channels[0]?.close(1000, 'enough')
    connection.resume()
    expect(await connection.ended()).toBe('closed')
    const { seen, closeCode } = readFrames(connection.unread)
    expect([seen[0]?.length, closeCode]).toEqual([8_000_000, 1000])
  })
})

describe('a server that stops', () => {
  test.each(['endConnections', 'stopAccepting'] as const)(
    'by %s closes idle connections with 1001, and busy ones when they are done',
    async (stop) => {
      const { server, ...echo } = start()
      const [idle, busy] = [await raw({ server, ...echo }), await raw({ server, ...echo })]
      await busy.send(frame('busy'))
      await until(() => readFrames(busy.unread).seen.length === 1)
      expect(server.pending).toBe(1)
      server[stop]()
      await idle.ended()
      expect(readFrames(idle.unread).closeCode).toBe(1001)
      expect(busy.ending).toBeNull()
      await busy.send(frame('idle'))
      await busy.ended()
      expect(readFrames(busy.unread).closeCode).toBe(1001)
      expect(server.pending).toBe(0)
    },
  )

  test('refuses new WebSockets with 503', async () => {
    const { server, port } = start()
    server.stopAccepting()
    const answer = await ask(port, handshake('/talk'))
    expect([answer.status, codeOf(answer)]).toEqual([503, 'shutting_down'])
  })

  test('tells busy sessions that it can wait no longer', async () => {
    const { server, errors, ...echo } = start()
    const busy = await raw({ server, ...echo })
    await busy.send(frame('busy'))
    await until(() => server.pending === 1)
    server.endWaiting()
    expect(errors.map(({ code }) => code)).toEqual(['shutting_down'])
  })
})

describe('connection limits', () => {
  const limits = { total: 2, perAddress: 2, isExempt: () => false }

  test('count WebSockets, and close idle ones to make room', async () => {
    const { server, ...echo } = start({ connectionLimits: limits })
    const [idle, busy] = [await raw({ server, ...echo }), await raw({ server, ...echo })]
    await busy.send(frame('busy'))
    await until(() => server.pending === 1)
    expect((await ask(echo.port, get('/echo'))).status).toBe(200)
    await idle.ended()
    expect(readFrames(idle.unread).closeCode).toBe(1001)
    expect(echo.ended).toEqual([0])
    expect(busy.ending).toBeNull()
  })

  test('refuse a connection when all are busy', async () => {
    const { server, ...echo } = start({ connectionLimits: limits })
    for (const connection of [await raw({ server, ...echo }), await raw({ server, ...echo })]) {
      await connection.send(frame('busy'))
    }
    await until(() => server.pending === 2)
    expect((await ask(echo.port, get('/echo'))).status).toBe(503)
  })
})
