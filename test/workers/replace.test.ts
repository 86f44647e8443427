import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import OpenAI from 'openai'
import { type Sandbox, startSandbox } from '../../src/sandbox/server.ts'
import { chatRequest } from '../robustness/support/chat-load.ts'
import { BOOTSTRAP_KEY, makeFolder, removeFolder } from '../robustness/support/gateway-process.ts'
import { readStoredLedger } from '../robustness/support/stored-ledger.ts'
import { addSupply, liftLimits } from '../robustness/support/supply.ts'
import { eventually } from '../support/eventually.ts'
import { type Crew, isAlive, startCrew, stopCrew } from './support/crew.ts'

const PATIENCE_MS = 300_000
const MODEL = 'robust-chat'

let folder = ''
let sandbox: Sandbox
let crew: Crew | null = null

beforeEach(() => {
  folder = makeFolder()
  sandbox = startSandbox()
})

afterEach(async () => {
  await stopCrew(crew)
  crew = null
  await sandbox.stop()
  removeFolder(folder)
})

/** With a supplier outside of the gateway, which outlives all its processes. */
async function start(workers: number, environment: Readonly<Record<string, string>> = {}): Promise<Crew> {
  crew = await startCrew(folder, workers, {
    TURNPIKE_SANDBOX: 'off',
    TURNPIKE_LOG_LEVEL: 'warn',
    ...environment,
  })
  await liftLimits(crew)
  await addSupply(crew, { baseUrl: `${sandbox.url}/v1` })
  return crew
}

function ask(url: string, fields: Readonly<Record<string, unknown>> = {}): Promise<Response> {
  return fetch(`${url}/v1/chat/completions`, chatRequest({ model: MODEL, ...fields }))
}

/** A stream whose first event has come, and its whole text when it has ended. */
async function openStream(url: string): Promise<Promise<string>[]> {
  const response = await ask(url, {
    stream: true,
    messages: [{ role: 'user', content: 'say: a b c d e f' }],
  })
  let sofar = ''
  const text = (async () => {
    for await (const bytes of response.body ?? []) sofar += Buffer.from(bytes).toString()
    return sofar
  })()
  // A test that fails before it waits for this must not fail the next one as well.
  text.catch(() => undefined)
  await eventually('the first event', () => sofar.includes('data: '))
  return [text]
}

async function waitForEnd(workers: readonly number[]): Promise<void> {
  const endMs = performance.now() + PATIENCE_MS / 2
  while (workers.some(isAlive) && performance.now() < endMs) await Bun.sleep(20)
  expect(workers.filter(isAlive)).toEqual([])
}

/** Sends requests with the official SDK in its default settings until stopped. */
async function askAlways(url: string, stream: boolean, isOver: () => boolean): Promise<number> {
  const client = new OpenAI({ apiKey: BOOTSTRAP_KEY, baseURL: `${url}/v1` })
  const question = { model: MODEL, messages: [{ role: 'user' as const, content: 'ping' }] }
  let answered = 0
  while (!isOver()) {
    if (stream) {
      let last: string | null = null
      for await (const chunk of await client.chat.completions.create({ ...question, stream })) {
        last = chunk.choices[0]?.finish_reason ?? last
      }
      expect(last).toBe('stop')
    } else {
      expect((await client.chat.completions.create(question)).choices[0]?.finish_reason).toBe('stop')
    }
    answered += 1
  }
  return answered
}

describe('SIGHUP', () => {
  test(
    'replaces the workers without client errors',
    async () => {
      const { url, workers, signal, exited } = await start(2)
      let isOver = false
      const clients = [true, false, true, false].map((stream) => askAlways(url, stream, () => isOver))
      const old = workers()
      signal('SIGHUP')
      await waitForEnd(old)
      expect(workers()).toHaveLength(2)
      isOver = true
      for (const answered of await Promise.all(clients)) expect(answered).toBeGreaterThan(0)
      signal('SIGTERM')
      expect(await exited).toBe(0)
      const { settlements, ledgerDifference } = await readStoredLedger(folder)
      expect(ledgerDifference).toBeNull()
      expect(new Set(settlements.map(({ outcome }) => outcome))).toEqual(new Set(['completed']))
    },
    PATIENCE_MS,
  )

  test(
    'lets a stream finish that is longer than it takes to replace its worker',
    async () => {
      const { url, workers, signal } = await start(2)
      sandbox.faults.set({ times: 1, fault: { type: 'latency', betweenPiecesMs: 1_500 } })
      const [text] = await openStream(url)
      const old = workers()
      signal('SIGHUP')
      expect(await text).toEndWith('data: [DONE]\n\n')
      await waitForEnd(old)
      expect((await ask(url)).status).toBe(200)
    },
    PATIENCE_MS,
  )
})

describe('SIGTERM', () => {
  test(
    'is visible to load balancers at once, and requests are still served for a while, with connection: close',
    async () => {
      const { url, signal, exited } = await start(2, { TURNPIKE_DRAIN_SECONDS: '2' })
      sandbox.faults.set({ times: 1, fault: { type: 'latency', betweenPiecesMs: 700 } })
      const [text] = await openStream(url)
      signal('SIGTERM')
      await eventually('not ready', async () => (await fetch(`${url}/readyz`)).status === 503)
      const served = await ask(url)
      expect([served.status, served.headers.get('connection')]).toEqual([200, 'close'])
      await served.text()
      const refused = await eventually('the end of serving', async () => {
        // The worker without a stream is gone at once, and may have been the one that was asked.
        const response = await ask(url).catch(() => null)
        const body = await response?.text()
        return response?.status === 503 && body
      })
      expect(JSON.parse(refused)).toMatchObject({ error: { code: 'shutting_down' } })
      expect(await text).toEndWith('data: [DONE]\n\n')
      expect(await exited).toBe(0)
      for (const slot of [0, 1]) expect(readdirSync(join(folder, `journal-${slot}`))).toEqual([])
    },
    PATIENCE_MS,
  )
})

describe('a parent that is killed', () => {
  test(
    'is followed by its workers once they have finished their requests',
    async () => {
      const { url, workers, signal } = await start(2)
      sandbox.faults.set({ times: 1, fault: { type: 'latency', betweenPiecesMs: 300 } })
      const [text] = await openStream(url)
      const left = workers()
      signal('SIGKILL')
      expect(await text).toEndWith('data: [DONE]\n\n')
      await waitForEnd(left)
      const { settlements, ledgerDifference } = await readStoredLedger(folder)
      expect(ledgerDifference).toBeNull()
      expect(settlements.map(({ outcome }) => outcome)).toEqual(['completed'])
    },
    PATIENCE_MS,
  )
})
