import { expect, test } from 'bun:test'
import { RawConnection } from '../../src/edges/http-server/testing/raw-client.ts'
import { frame, handshake, readFrames } from '../../src/edges/http-server/testing/web-socket-client.ts'
import { createLoneKey } from '../support/accounts.ts'
import { eventually } from '../support/eventually.ts'
import { onlySettlementOf } from '../support/settlements.ts'
import { BOOTSTRAP_KEY, startTestGateway, type TestGateway } from '../support/test-gateway.ts'
import { SocketClient } from './support/socket-client.ts'

/** Runs a test on a gateway that the test itself may stop. */
async function withGateway(run: (gateway: TestGateway) => Promise<void>): Promise<void> {
  const gateway = await startTestGateway()
  let stopping: Promise<void> | null = null
  const stop = () => {
    stopping ??= gateway.stop()
    return stopping
  }
  try {
    await run({ ...gateway, stop })
  } finally {
    await stop()
  }
}

test('a response that cannot finish in time fails, and the connection is closed with 1001', () =>
  withGateway(async (gateway) => {
    const busy = await SocketClient.connect(gateway.url, BOOTSTRAP_KEY)
    const idle = await SocketClient.connect(gateway.url, BOOTSTRAP_KEY)
    busy.create({ model: 'sandbox-slow', input: 'say: a b c d e f g h', store: false })
    while ((await busy.next()).type !== 'response.output_text.delta');
    const stopped = gateway.stop()
    const last = (await busy.readResponse()).at(-1)
    expect(last).toMatchObject({ type: 'response.failed', response: { status: 'failed' } })
    expect(await busy.closed).toBe(1001)
    expect(await idle.closed).toBe(1001)
    await stopped
  }))

test('a response that has not begun is answered with an error, and so are those that wait', () =>
  withGateway(async (gateway) => {
    const client = await SocketClient.connect(gateway.url, BOOTSTRAP_KEY)
    const calls = gateway.sandbox.calls.length
    client.create({ model: 'sandbox-slow', input: 'say: a', store: false })
    client.create({ input: 'say: waits', store: false })
    await eventually('a call', () => gateway.sandbox.calls.length > calls)
    const stopped = gateway.stop()
    for (let turn = 0; turn < 2; turn += 1) {
      const [only] = await client.readResponse()
      expect(only).toMatchObject({ type: 'error', status: 503, error: { code: 'shutting_down' } })
    }
    expect(await client.closed).toBe(1001)
    await stopped
  }))

test('a client that does not read gets everything when it does, and is charged once', () =>
  withGateway(async (gateway) => {
    const { id, secret } = await createLoneKey(gateway)
    const connection = new RawConnection(Number(new URL(gateway.url).port))
    try {
      void connection.send(handshake('/v1/responses', `Authorization: Bearer ${secret}`))
      expect((await connection.answer()).status).toBe(101)
      connection.pause()
      const words = 'tulip '.repeat(30_000).trim()
      const create = { type: 'response.create', model: 'sandbox-chat', input: `say: ${words}`, store: false }
      await connection.send(frame(JSON.stringify(create)))
      await eventually('a stream', () => gateway.streams.size === 1)
      connection.resume()
      const seen = () => readFrames(connection.unread).seen
      await eventually('the end', () => connection.unread.includes('"response.completed"'))
      const last = await eventually('the last message', () =>
        seen().find((text) => text.includes('"response.completed"')),
      )
      expect(last).toContain(words)
      expect((await onlySettlementOf(gateway, id)).outcome).toBe('completed')
    } finally {
      connection.destroy()
    }
  }))
