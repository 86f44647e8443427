import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { type Sandbox, startSandbox } from '../../src/sandbox/server.ts'
import { eventually } from '../support/eventually.ts'
import { createMovableClock } from '../support/movable-clock.ts'
import type { SettlementBody } from '../support/settlements.ts'
import { startTestGateway, BOOTSTRAP_KEY as TEST_KEY } from '../support/test-gateway.ts'
import { startEndlessSupplier, waitForStandstill } from './support/endless-supplier.ts'
import {
  BOOTSTRAP_KEY,
  environmentOf,
  type GatewayProcess,
  makeFolder,
  removeFolder,
  startProcess,
  stopProcess,
} from './support/gateway-process.ts'
import { writeRequest } from './support/raw-client.ts'
import { addSupply } from './support/supply.ts'

const MEGABYTE = 1024 * 1024
const STREAM_BYTES = 200 * MEGABYTE
const PIECE_BYTES = 16_384
const LONG_STREAM = {
  type: 'long-stream',
  pieces: STREAM_BYTES / PIECE_BYTES,
  bytesPerPiece: PIECE_BYTES,
} as const
const MAX_MEMORY = 150 * MEGABYTE

function chatStream(model: string, key: string): (string | Uint8Array)[] {
  const body = JSON.stringify({ model, stream: true, messages: [{ role: 'user', content: 'go on' }] })
  return writeRequest({
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body,
  })
}

function residentBytes(pid: number): number {
  const pages = Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1])
  return pages * 4_096
}

describe('a client that reads slowly', () => {
  let folder = ''
  let sandbox: Sandbox
  let gateway: GatewayProcess

  beforeAll(async () => {
    folder = makeFolder()
    sandbox = startSandbox()
    gateway = await startProcess(environmentOf(folder, { TURNPIKE_SANDBOX: 'off' }))
    await addSupply(gateway, { baseUrl: `${sandbox.url}/v1` })
  })

  afterAll(async () => {
    await stopProcess(gateway)
    await sandbox.stop()
    removeFolder(folder)
  })

  test('holds back a stream of 200 MB instead of filling memory', async () => {
    sandbox.faults.set({ fault: LONG_STREAM })
    const socket = connect(gateway.port, '127.0.0.1')
    for (const part of chatStream('robust-chat', BOOTSTRAP_KEY)) socket.write(part)
    let taken = 0
    let mostBytes = 0
    for await (const bytes of socket.iterator({ destroyOnReturn: true })) {
      taken += (bytes as Buffer).length
      mostBytes = Math.max(mostBytes, residentBytes(gateway.pid))
      // Reads in bites with pauses, and much more slowly than the supplier could write.
      if (taken < 20 * MEGABYTE) await Bun.sleep(1)
      if (taken > STREAM_BYTES) break
    }
    console.log(
      `${Math.round(taken / MEGABYTE)} MB passed through ${Math.round(mostBytes / MEGABYTE)} MB of memory`,
    )
    expect(taken).toBeGreaterThan(STREAM_BYTES)
    expect(mostBytes).toBeLessThan(MAX_MEMORY)
  }, 300_000)
})

describe('a client that stops reading', () => {
  test('is disconnected after the idle time-out, and charged for what it was sent', async () => {
    const clock = createMovableClock()
    const supplier = startEndlessSupplier()
    const gateway = await startTestGateway({ clock, environment: { TURNPIKE_IDLE_TIMEOUT_SECONDS: '120' } })
    const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1')
    try {
      await addSupply(gateway, { baseUrl: supplier.baseUrl })
      socket.pause()
      for (const part of chatStream('robust-chat', TEST_KEY)) socket.write(part)
      await eventually('the stream', () => gateway.streams.size === 1)
      // Until the buffers on the way are full, the client counts as reading.
      await waitForStandstill(supplier)
      clock.advance(119_000)
      gateway.streams.beat(clock.monotonicMs())
      expect(gateway.streams.size).toBe(1)
      clock.advance(1_000)
      gateway.streams.beat(clock.monotonicMs())
      expect(gateway.streams.size).toBe(0)
      await eventually('the end of the supply', () => supplier.hasBeenLeft)
      const settlement = await eventually('the settlement', async () => {
        const { data } = await gateway.operator<{ data: SettlementBody[] }>('GET', '/settlements')
        return data[0]
      })
      expect(settlement.outcome).toBe('client_left')
      expect(settlement.usage.output).toBeGreaterThan(0)
      // The connection is closed, so a client that wakes up learns that its answer is not whole.
      const closed = new Promise((resolve) => socket.once('close', resolve))
      socket.on('error', () => undefined)
      socket.resume()
      await closed
    } finally {
      socket.destroy()
      await gateway.stop()
      await supplier.stop()
    }
  })
})
