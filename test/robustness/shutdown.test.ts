import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Sandbox, startSandbox } from '../../src/sandbox/server.ts'
import { eventually } from '../support/eventually.ts'
import { chatRequest } from './support/chat-load.ts'
import {
  environmentOf,
  type GatewayProcess,
  makeFolder,
  removeFolder,
  startProcess,
  stopProcess,
} from './support/gateway-process.ts'
import { readStoredLedger } from './support/stored-ledger.ts'
import { addSupply } from './support/supply.ts'

// Half of the default shutdown wait, so that a busy machine does not matter.
const LONG_MS = 15_000

let folder = ''
let sandbox: Sandbox
let gateway: GatewayProcess

beforeEach(() => {
  folder = makeFolder()
  sandbox = startSandbox()
})

afterEach(async () => {
  await stopProcess(gateway)
  await sandbox.stop()
  removeFolder(folder)
})

async function start(shutdownSeconds: number): Promise<void> {
  gateway = await startProcess(
    environmentOf(folder, {
      TURNPIKE_SANDBOX: 'off',
      TURNPIKE_SHUTDOWN_SECONDS: String(shutdownSeconds),
    }),
  )
  await addSupply(gateway, { baseUrl: `${sandbox.url}/v1` })
}

function ask(fields: Readonly<Record<string, unknown>>): Promise<Response> {
  return fetch(`${gateway.url}/v1/chat/completions`, chatRequest({ model: 'robust-chat', ...fields }))
}

/** A stream whose first event has come, and its text when it has ended. */
async function openStream(): Promise<{ id: string; text: Promise<string> }> {
  const response = await ask({ stream: true, messages: [{ role: 'user', content: 'say: a b c d e f' }] })
  let sofar = ''
  const text = (async () => {
    for await (const bytes of response.body ?? []) sofar += Buffer.from(bytes).toString()
    return sofar
  })()
  await eventually('the first event', () => sofar.includes('data: '))
  return { id: response.headers.get('x-request-id') ?? '', text }
}

async function outcomes(): Promise<Record<string, string>> {
  const { settlements, ledgerDifference } = await readStoredLedger(folder)
  expect(ledgerDifference).toBeNull()
  return Object.fromEntries(settlements.map(({ requestId, outcome }) => [requestId, outcome]))
}

describe('SIGTERM', () => {
  test('lets streams finish, refuses new requests, and stores everything in the database', async () => {
    await start(20)
    sandbox.faults.set({ fault: { type: 'latency', betweenPiecesMs: 150 } })
    const streams = await Promise.all([openStream(), openStream()])
    gateway.signal('SIGTERM')
    const ready = await eventually('not ready', async () => {
      const response = await fetch(`${gateway.url}/readyz`)
      return response.status === 503 && response
    })
    expect(await ready.json()).toMatchObject({ reason: 'shutting down' })
    expect((await fetch(`${gateway.url}/healthz`)).status).toBe(200)
    const refused = await ask({})
    expect(refused.status).toBe(503)
    expect(await refused.json()).toMatchObject({ error: { code: 'shutting_down' } })
    for (const { text } of streams) expect(await text).toEndWith('data: [DONE]\n\n')
    expect(await gateway.exited).toBe(0)
    expect(ask({})).rejects.toThrow()
    expect(readdirSync(join(folder, 'journal'))).toEqual([])
    expect(await outcomes()).toEqual(Object.fromEntries(streams.map(({ id }) => [id, 'completed'])))
    expect(gateway.errors()).toContain('"msg":"stopping"')
  })

  test('ends streams and waiting requests with an error at the deadline', async () => {
    await start(1)
    sandbox.faults.set({ times: 2, fault: { type: 'latency', betweenPiecesMs: 60_000 } })
    const streams = await Promise.all([openStream(), openStream()])
    sandbox.faults.set({ fault: { type: 'hang' } })
    const calls = sandbox.calls.length
    const waiting = ask({})
    await eventually('the waiting call', () => sandbox.calls.length > calls)
    const signalledAtMs = performance.now()
    gateway.signal('SIGTERM')
    for (const { text } of streams) {
      const last = (await text).trimEnd().split('\n\n').at(-1) ?? ''
      expect(JSON.parse(last.replace('data: ', ''))).toMatchObject({
        error: { code: 'shutting_down', type: 'shutting_down' },
      })
    }
    const refused = await waiting
    expect(refused.status).toBe(503)
    expect(await refused.json()).toMatchObject({ error: { code: 'shutting_down' } })
    expect(await gateway.exited).toBe(0)
    const tookMs = performance.now() - signalledAtMs
    expect(tookMs).toBeGreaterThan(900)
    expect(tookMs).toBeLessThan(LONG_MS)
    expect(readdirSync(join(folder, 'journal'))).toEqual([])
    const settled = await outcomes()
    expect(Object.keys(settled)).toHaveLength(3)
    for (const { id } of streams) expect(settled[id]).toBe('interrupted')
    const { settlements } = await readStoredLedger(folder)
    for (const { outcome, amountNano, requestId } of settlements) {
      const wasDelivered = streams.some(({ id }) => id === requestId)
      expect([outcome, amountNano > 0n]).toEqual([
        wasDelivered ? 'interrupted' : expect.any(String),
        wasDelivered,
      ])
    }
  })

  test('with nothing to wait for ends at once; SIGINT does the same', async () => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      gateway = await startProcess(environmentOf(folder))
      const signalledAtMs = performance.now()
      gateway.signal(signal)
      expect(await gateway.exited).toBe(0)
      expect(performance.now() - signalledAtMs).toBeLessThan(LONG_MS)
    }
  })

  test('a second signal does not wait', async () => {
    await start(600)
    sandbox.faults.set({ fault: { type: 'latency', betweenPiecesMs: 60_000 } })
    const { text } = await openStream()
    const broken = text.then(
      () => false,
      () => true,
    )
    gateway.signal('SIGTERM')
    await eventually('the first signal', async () => (await fetch(`${gateway.url}/readyz`)).status === 503)
    gateway.signal('SIGTERM')
    expect(await gateway.exited).toBe(1)
    expect(await broken).toBe(true)
  })
})
