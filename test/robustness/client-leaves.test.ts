import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { connect, type Socket } from 'node:net'
import { type Sandbox, startSandbox } from '../../src/sandbox/server.ts'
import { eventually } from '../support/eventually.ts'
import type { SettlementBody } from '../support/settlements.ts'
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

const PROMPTLY_MS = 100

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

beforeEach(() => sandbox.faults.clear())

/** Sends a chat request over a separate socket that the test can drop. */
function ask(fields: Readonly<Record<string, unknown>>): { socket: Socket; received: () => string } {
  let text = ''
  const socket = connect(gateway.port, '127.0.0.1')
  socket.on('data', (bytes: Buffer) => {
    text += bytes.toString('latin1')
  })
  socket.on('error', () => undefined)
  const body = JSON.stringify({
    model: 'robust-chat',
    messages: [{ role: 'user', content: 'say: one two three four five' }],
    ...fields,
  })
  const headers = { authorization: `Bearer ${BOOTSTRAP_KEY}`, 'content-type': 'application/json' }
  for (const part of writeRequest({ headers, body })) socket.write(part)
  return { socket, received: () => text }
}

async function settlementsNow(): Promise<readonly SettlementBody[]> {
  return (await gateway.operator<{ data: SettlementBody[] }>('GET', '/settlements?limit=100')).data
}

/** The one settlement that was not there before. */
async function newSettlement(before: readonly SettlementBody[]): Promise<SettlementBody> {
  const known = new Set(before.map(({ request_id }) => request_id))
  return eventually('a settlement', async () =>
    (await settlementsNow()).find(({ request_id }) => !known.has(request_id)),
  )
}

/** Drops the connection and gives how long the supplier then still had its own. */
async function leave(socket: Socket): Promise<number> {
  const abort = sandbox.nextAbort()
  const leftAtMs = Date.now()
  socket.destroy()
  const { abortedAtMs } = await abort
  return (abortedAtMs ?? Number.NaN) - leftAtMs
}

const MAX_TRIES = 20

/**
 * Gives the settlements there were before. It is tried again when it was late: a busy machine may be the reason, while
 * nothing makes a slow gateway prompt.
 */
async function leavePromptly(arrive: () => Promise<Socket>): Promise<readonly SettlementBody[]> {
  for (let tries = 1; ; tries += 1) {
    const before = await settlementsNow()
    const tookMs = await leave(await arrive())
    if (tookMs < PROMPTLY_MS) return before
    if (tries === MAX_TRIES) throw new Error(`the supplier was let go after ${tookMs} ms, and never sooner`)
    await newSettlement(before)
  }
}

describe('a client that leaves', () => {
  test('in mid-stream: the supplier is disconnected within 100 ms and delivered output is charged', async () => {
    sandbox.faults.set({ fault: { type: 'latency', betweenPiecesMs: 60_000 } })
    const before = await leavePromptly(async () => {
      const { socket, received } = ask({ stream: true })
      await eventually('the first event', () => received().includes('data: '))
      return socket
    })
    const settlement = await newSettlement(before)
    expect(settlement).toMatchObject({ outcome: 'client_left', provenance: 'counted' })
    expect(Number(settlement.amount)).toBeGreaterThan(0)
  })

  test('in the middle of a fast stream: the same', async () => {
    sandbox.faults.set({ fault: { type: 'long-stream', pieces: 1_000_000, bytesPerPiece: 100 } })
    const before = await leavePromptly(async () => {
      const { socket, received } = ask({ stream: true })
      await eventually('some events', () => received().length > 100_000)
      return socket
    })
    const settlement = await newSettlement(before)
    expect(settlement.outcome).toBe('client_left')
    expect(settlement.usage.output).toBeGreaterThan(1_000)
  })

  for (const stream of [true, false]) {
    test(`before the first byte, stream ${stream}: the supplier is disconnected and nothing is charged`, async () => {
      sandbox.faults.set({ fault: { type: 'hang' } })
      const before = await leavePromptly(async () => {
        const lastBefore = sandbox.calls.at(-1)?.number ?? 0
        const { socket } = ask({ stream })
        await eventually('the call', () => (sandbox.calls.at(-1)?.number ?? 0) > lastBefore)
        return socket
      })
      const settlement = await newSettlement(before)
      expect(settlement).toMatchObject({ outcome: 'client_left', amount: '0' })
      expect(settlement.attempts.at(-1)?.result).toBe('client_left')
    })
  }

  test('is not logged as a problem', async () => {
    gateway.signal('SIGTERM')
    expect(await gateway.exited).toBe(0)
    expect(gateway.errors()).toContain('"msg":"request"')
    expect(gateway.errors()).not.toContain('"level":50')
  })
})
