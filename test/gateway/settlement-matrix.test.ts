import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { estimateTokens } from '../../src/conversation/token-estimate.ts'
import { type Sandbox, startSandbox } from '../../src/sandbox/server.ts'
import { formatUsdt } from '../../src/vocabulary/money.ts'
import { balanceOf, createKey, type IssuedKey, openAccount } from '../support/accounts.ts'
import { type ChatFields, chat, readError, say } from '../support/chat.ts'
import type { Fault } from '../support/faults.ts'
import { findDifference } from '../support/find-difference.ts'
import { PauseGate } from '../support/pause-gate.ts'
import {
  chunkOf,
  DONE,
  FINISH_CHUNK,
  never,
  type ScriptedSupplier,
  startScriptedSupplier,
} from '../support/scripted-supplier.ts'
import { onlySettlementOf, type SettlementBody } from '../support/settlements.ts'
import { eventsOf, StreamReader } from '../support/stream-reader.ts'
import { addModel, addSupplier } from '../support/supply.ts'
import { startTestGateway, type TestGateway } from '../support/test-gateway.ts'

// The sandbox says 11 tokens, a quarter of the characters. The estimate by script is 10, and 12 with `say: `. Names of
// models count a little.
const SENTENCE = 'The quick brown fox jumps over the lazy dog.'
const SAID_TOKENS = 11
const COUNTED_TOKENS = 10
const ESTIMATED_PROMPT = 12
// The sandbox counts `user: ` along.
const REPORTED_PROMPT = 14
const HOUR_MS = 3_600_000
const ERROR_EVENT = 'data: {"error":{"message":"boom"}}\n\n'

interface ContentChunk {
  readonly choices: readonly { readonly delta: { readonly content?: string } }[]
}

let gateway: TestGateway
let scripted: ScriptedSupplier
let gated: Sandbox
const gate = new PauseGate()
let account: string
let key: IssuedKey
let expectedBalanceNano = 0n

beforeAll(async () => {
  gateway = await startTestGateway()
  scripted = startScriptedSupplier()
  gated = startSandbox({ wait: gate.wait })
  await addSupplier(gateway, { id: 'second', sandbox: gateway.sandbox })
  await addSupplier(gateway, { id: 'scripted', sandbox: scripted })
  await addModel(gateway, 'single', { suppliers: ['sandbox-openai'] })
  await addModel(gateway, 'double', { suppliers: ['sandbox-openai', 'second'] })
  await addSupplier(gateway, { id: 'gated', sandbox: gated })
  await addModel(gateway, 'script', { suppliers: ['scripted'] })
  // The second supplier must not be asked once the first has begun to answer.
  await addModel(gateway, 'gated', { suppliers: ['gated', 'second'] })
  account = await openAccount(gateway)
})
afterEach(() => gateway.sandbox.faults.clear())
afterAll(async () => {
  await gateway.stop()
  await scripted.stop()
  await gated.stop()
})

/** A separate key for each request, so that its settlement can be found whatever the client saw. */
async function begin(fields: ChatFields, signal?: AbortSignal): Promise<Response> {
  key = await createKey(gateway, account)
  return chat(
    gateway.url,
    { model: 'single', ...say(SENTENCE), ...fields },
    { key: key.secret, ...(signal && { signal }) },
  )
}

const strike = (fault: Fault, times = 1) => gateway.sandbox.faults.set({ times, fault })

interface Charge {
  readonly outcome: string
  readonly provenance: string
  readonly input: number
  readonly output: number
  readonly attempts: readonly string[]
}

/** Checks the settlement of the request just made, and adds its price to what the balance must be. */
async function expectCharge({ input, output, attempts, ...rest }: Charge): Promise<SettlementBody> {
  const settlement = await onlySettlementOf(gateway, key.id)
  const amountNano = BigInt(input * 1_000 + output * 2_000)
  expectedBalanceNano -= amountNano
  expect(settlement).toMatchObject({ ...rest, usage: { input, output }, amount: formatUsdt(amountNano) })
  expect(settlement.attempts.map(({ result }) => result)).toEqual([...attempts])
  return settlement
}

const NOTHING = { provenance: 'estimated', input: 0, output: 0 } as const
const REPORTED = { provenance: 'supplier', input: REPORTED_PROMPT, output: SAID_TOKENS } as const
const COUNTED = { provenance: 'counted', input: ESTIMATED_PROMPT, output: COUNTED_TOKENS } as const

describe.each([
  ['whole', {}],
  ['streamed', { stream: true }],
])('the supplier ends normally, %s', (_how, fields) => {
  test('usage reported: the reported usage', async () => {
    await (await begin(fields)).text()
    await expectCharge({ outcome: 'completed', ...REPORTED, attempts: ['answered'] })
  })

  test('no usage reported: counted output and estimated input', async () => {
    strike({ type: 'missing-usage' })
    await (await begin(fields)).text()
    await expectCharge({ outcome: 'completed', ...COUNTED, attempts: ['answered'] })
  })

  test('failed before the first byte, no second candidate: nothing', async () => {
    strike({ type: 'status', status: 500 })
    const response = await begin(fields)
    expect(response.status).toBe(502)
    const settlement = await expectCharge({ outcome: 'supplier_failed', ...NOTHING, attempts: ['failed'] })
    expect(settlement.supplier).toBeNull()
    expect(settlement.attempts[0]).toMatchObject({ supplier: 'sandbox-openai', status: 500 })
  })

  test('failed before the first byte, a second candidate answers: its usage only', async () => {
    strike({ type: 'refuse' })
    const response = await begin({ ...fields, model: 'double' })
    await response.text()
    expect(response.headers.get('x-gateway-route')).toBe('second')
    const settlement = await expectCharge({
      outcome: 'completed',
      ...REPORTED,
      attempts: ['failed', 'answered'],
    })
    expect(settlement.supplier).toBe('second')
    expect(settlement.attempts[0]?.failure).toStartWith('unreachable: ')
  })

  test('refused the input: nothing', async () => {
    strike({ type: 'status', status: 400 })
    expect((await begin({ ...fields, model: 'double' })).status).toBe(400)
    await expectCharge({ outcome: 'refused', ...NOTHING, attempts: ['refused'] })
  })

  test('the client leaves before the first byte: nothing', async () => {
    strike({ type: 'hang' })
    const aborted = gateway.sandbox.nextAbort()
    const seen = gateway.sandbox.calls.at(-1)?.number ?? 0
    const client = new AbortController()
    const response = begin(fields, client.signal)
    while ((gateway.sandbox.calls.at(-1)?.number ?? 0) === seen) await Bun.sleep(1)
    client.abort()
    await expect(response).rejects.toThrow()
    expect((await aborted).number).toBe(seen + 1)
    await expectCharge({ outcome: 'client_left', ...NOTHING, attempts: ['client_left'] })
  })
})

describe('the client leaves in mid-stream', () => {
  /** Reads up to this text, leaves, and waits until the supplier has been let go. */
  async function leaveAfter(text: string, fields: ChatFields): Promise<void> {
    const client = new AbortController()
    const reader = new StreamReader(await begin({ stream: true, ...fields }, client.signal))
    await reader.readUntil(text)
    client.abort()
  }

  test('all text arrived but no usage: counted, and the supplier is disconnected', async () => {
    strike({ type: 'late-usage', afterMs: HOUR_MS })
    const aborted = gateway.sandbox.nextAbort()
    await leaveAfter('"finish_reason":"stop"', {})
    expect((await aborted).finished).toBe(false)
    await expectCharge({ outcome: 'client_left', ...COUNTED, attempts: ['answered'] })
  })

  test('right after the first byte: the prompt is charged, and no output', async () => {
    strike({ type: 'latency', betweenPiecesMs: HOUR_MS })
    await leaveAfter('"role":"assistant"', {})
    await expectCharge({ outcome: 'client_left', ...COUNTED, output: 0, attempts: ['answered'] })
  })

  test('usage arrived before the last text: as reported, but at least the counted output', async () => {
    const usage = { prompt_tokens: 100, completion_tokens: 1, total_tokens: 101 }
    scripted.perform([chunkOf({ content: 'four' }, { usage }), chunkOf({ content: SENTENCE }), never()])
    await leaveAfter('lazy dog', { model: 'script' })
    await expectCharge({
      outcome: 'client_left',
      provenance: 'counted',
      input: 100,
      output: COUNTED_TOKENS + 1,
      attempts: ['answered'],
    })
  })

  test('usage arrived after everything it counts: as reported', async () => {
    const usage = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 }
    scripted.perform([chunkOf({ content: SENTENCE }), chunkOf({ content: '!' }, { usage }), never()])
    await leaveAfter('"!"', { model: 'script' })
    await expectCharge({
      outcome: 'client_left',
      provenance: 'supplier',
      input: 100,
      output: 20,
      attempts: ['answered'],
    })
  })
})

describe('the supplier fails in mid-stream', () => {
  /** The words the client has got, which are what it pays for. */
  const wordsIn = (text: string) =>
    eventsOf(text)
      .map((data) => (JSON.parse(data) as Partial<ContentChunk>).choices?.[0]?.delta.content ?? '')
      .join('')

  test.each<readonly [string, Fault]>([
    ['cuts the connection', { type: 'cut', afterPieces: 5 }],
    ['sends an error event', { type: 'error-in-stream', afterPieces: 4 }],
    ['sends garbage', { type: 'garbage', afterPieces: 6 }],
  ])('and %s: the delivered output and its input are counted', async (_how, fault) => {
    gated.faults.set({ times: 1, fault })
    gated.faults.set({ times: 1, fault: { type: 'latency', betweenPiecesMs: 1 } })
    gate.close()
    gate.allow(2)
    const reader = new StreamReader(await begin({ stream: true, model: 'gated' }))
    await reader.readUntil('quick')
    gate.open()
    const text = await reader.readToEnd()
    expect(text).toContain('"code":"provider_error"')
    expect(text).not.toContain('[DONE]')
    expect(SENTENCE).toStartWith(wordsIn(text))
    const output = estimateTokens(wordsIn(text))
    expect(output).toBeGreaterThanOrEqual(estimateTokens('The quick'))
    expect(output).toBeLessThan(COUNTED_TOKENS)
    await expectCharge({ outcome: 'supplier_failed', ...COUNTED, output, attempts: ['answered'] })
  })

  test('ends without its terminal event: all that was delivered, counted', async () => {
    strike({ type: 'truncated-end' })
    expect(await (await begin({ stream: true })).text()).toContain('"code":"provider_error"')
    await expectCharge({ outcome: 'supplier_failed', ...COUNTED, attempts: ['answered'] })
  })

  test('after it has reported usage: as reported', async () => {
    const usage = { prompt_tokens: 50, completion_tokens: 30, total_tokens: 80 }
    const arrived = Promise.withResolvers<void>()
    scripted.perform([chunkOf({ content: SENTENCE }, { usage }), arrived.promise, ERROR_EVENT])
    const reader = new StreamReader(await begin({ stream: true, model: 'script' }))
    await reader.readUntil('lazy dog')
    arrived.resolve()
    expect(await reader.readToEnd()).toContain('"code":"provider_error"')
    await expectCharge({
      outcome: 'supplier_failed',
      provenance: 'supplier',
      input: 50,
      output: 30,
      attempts: ['answered'],
    })
  })
})

describe('answers that end unusually but well', () => {
  test('without the last marker, once every choice has finished', async () => {
    scripted.perform([chunkOf({ content: SENTENCE }), FINISH_CHUNK])
    await (await begin({ stream: true, model: 'script' })).text()
    await expectCharge({ outcome: 'completed', ...COUNTED, attempts: ['answered'] })
  })

  test('without the blank line after the last marker', async () => {
    scripted.perform([chunkOf({ content: SENTENCE }), FINISH_CHUNK, DONE.trimEnd()])
    const text = await (await begin({ stream: true, model: 'script' })).text()
    expect(text).toEndWith('data: [DONE]\n\n')
    await expectCharge({ outcome: 'completed', ...COUNTED, attempts: ['answered'] })
  })

  test('in one event that lacks its blank line', async () => {
    scripted.perform([FINISH_CHUNK.trimEnd()])
    const response = await begin({ stream: true, model: 'script' })
    expect(response.status).toBe(200)
    expect(await response.text()).toBe(FINISH_CHUNK + DONE)
    await expectCharge({ outcome: 'completed', ...COUNTED, output: 0, attempts: ['answered'] })
  })
})

test('no capacity at the suppliers: nothing is charged, and no supplier was called', async () => {
  await addSupplier(gateway, { id: 'tiny', sandbox: gateway.sandbox, credential: { tpm: 1 } })
  await addModel(gateway, 'tiny', { suppliers: ['tiny'] })
  const response = await begin({ model: 'tiny' })
  expect((await readError(response)).code).toBe('supplier_rate_limited')
  await expectCharge({ outcome: 'supplier_failed', ...NOTHING, attempts: [] })
})

test('every row above is in the balance once, and the ledger is consistent', async () => {
  expect(expectedBalanceNano).toBeLessThan(0n)
  expect(await balanceOf(gateway, account)).toBe(formatUsdt(expectedBalanceNano))
  expect(await findDifference(gateway.storage)).toBeNull()
  expect((await gateway.storage.loadBalances()).get(account)).toBe(expectedBalanceNano)
  expect(gateway.log.troubles).toEqual([])
})
