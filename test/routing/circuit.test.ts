import { afterAll, afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { chat, readError } from '../support/chat.ts'
import { eventually } from '../support/eventually.ts'
import { createMovableClock, type MovableClock } from '../support/movable-clock.ts'
import { chunkOf, startScriptedSupplier } from '../support/scripted-supplier.ts'
import { addModel, addSupplier } from '../support/supply.ts'
import { startTwoSuppliers, type TwoSuppliers } from '../support/two-suppliers.ts'

let clock: MovableClock
let suppliers: TwoSuppliers
beforeEach(async () => {
  clock = createMovableClock()
  suppliers = await startTwoSuppliers({ clock })
})
afterEach(() => suppliers.stop())

const ask = (fields: object = {}) =>
  chat(suppliers.gateway.url, { model: 'pair', ...fields }, { key: suppliers.key })
const callsOfFirst = () => suppliers.first.calls.at(-1)?.number ?? 0

interface RouteRow {
  readonly model: string
  readonly supplier: string
  readonly credentials: readonly {
    readonly state: string
    readonly circuit: string
    readonly cooling_until: string | null
    readonly latency_ms: number | null
  }[]
}

async function standingOfFirst() {
  const { data } = await suppliers.gateway.operator<{ data: RouteRow[] }>('GET', '/routes?limit=100')
  const row = data.find(({ model, supplier }) => model === 'pair' && supplier === 'first')
  const [credential] = row?.credentials ?? []
  if (credential === undefined) throw new Error('no such route')
  return credential
}

describe('a failing supplier', () => {
  test('costs one request for each probe, and gets its traffic back when it returns', async () => {
    suppliers.first.faults.set({ fault: { type: 'status', status: 500 } })
    for (let sent = 0; sent < 20; sent += 1) expect((await ask()).status).toBe(200)
    expect((await standingOfFirst()).circuit).toBe('open')
    // Its longest pause is a minute; after that one request, and only one, finds out.
    for (let probes = 1; probes <= 5; probes += 1) {
      clock.advance(120_000)
      const before = callsOfFirst()
      const answers = await Promise.all(Array.from({ length: 20 }, () => ask()))
      expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200))
      expect(callsOfFirst() - before).toBe(1)
    }
    suppliers.first.faults.clear()
    clock.advance(120_000)
    await ask()
    expect((await standingOfFirst()).circuit).toBe('closed')
    expect((await ask()).headers.get('x-gateway-route')).toBe('first')
  })

  test('that hangs during a probe delays the client less than the full time-out', async () => {
    suppliers.first.faults.set({ fault: { type: 'status', status: 500 } })
    for (let sent = 0; sent < 3; sent += 1) expect((await ask()).status).toBe(200)
    suppliers.first.faults.set({ fault: { type: 'hang' } })
    clock.advance(120_000)
    const before = callsOfFirst()
    const answer = await ask()
    expect([answer.status, answer.headers.get('x-gateway-route')]).toEqual([200, 'second'])
    expect(callsOfFirst()).toBe(before + 1)
    expect((await standingOfFirst()).circuit).toBe('open')
  }, 300_000)

  test('is paused for as long as it asked', async () => {
    suppliers.first.faults.set({ times: 1, fault: { type: 'status', status: 429, retryAfterSeconds: 30 } })
    expect((await ask()).headers.get('x-gateway-attempts')).toBe('2')
    expect(Date.parse((await standingOfFirst()).cooling_until ?? '')).toBe(clock.nowMs() + 30_000)
    const before = callsOfFirst()
    clock.advance(29_999)
    expect((await ask()).headers.get('x-gateway-route')).toBe('second')
    expect(callsOfFirst()).toBe(before)
    clock.advance(1)
    expect((await ask()).headers.get('x-gateway-route')).toBe('first')
  })

  test('is disabled when it refuses the credential, which the audit records', async () => {
    suppliers.first.faults.set({ fault: { type: 'status', status: 401 } })
    expect((await ask()).status).toBe(200)
    await eventually('disabling', async () => (await standingOfFirst()).state === 'disabled')
    const { data } = await suppliers.gateway.operator<{ data: { action: string; actor: string }[] }>(
      'GET',
      '/audit?limit=1',
    )
    expect(data[0]).toMatchObject({ action: 'credential.changed', actor: 'routing' })
    suppliers.first.faults.clear()
    const before = callsOfFirst()
    clock.advance(600_000)
    expect((await ask()).headers.get('x-gateway-route')).toBe('second')
    expect(callsOfFirst()).toBe(before)
  })
})

test('after the first byte, no second supplier is tried', async () => {
  suppliers.first.faults.set({ fault: { type: 'cut', afterPieces: 2 } })
  const response = await ask({ stream: true })
  expect(response.status).toBe(200)
  const text = await response.text()
  expect(text).toContain('"code":"provider_error"')
  expect(text).not.toContain('[DONE]')
  expect(suppliers.second.calls.at(-1)).toBeUndefined()
})

describe('a stream that breaks off', () => {
  const scripted = startScriptedSupplier()
  afterAll(() => scripted.stop())

  const breakOff = async (error: object) => {
    scripted.perform([chunkOf({ content: 'Well' }), `data: ${JSON.stringify({ error })}\n\n`])
    await addSupplier(suppliers.gateway, { id: 'first', sandbox: scripted })
    for (let sent = 0; sent < 4; sent += 1) await (await ask({ stream: true })).text()
    return (await standingOfFirst()).circuit
  }

  test('through a fault of the supplier counts against it', async () =>
    expect(await breakOff({ message: 'oops', code: 'server_error' })).toBe('open'))

  test('because of the client’s input does not', async () =>
    expect(await breakOff({ message: 'no', code: 'content_filter' })).toBe('closed'))
})

test('when all suppliers are rate-limited, sends the earliest retry time and names the model', async () => {
  suppliers.first.faults.set({ fault: { type: 'status', status: 429, retryAfterSeconds: 40 } })
  suppliers.second.faults.set({ fault: { type: 'status', status: 429, retryAfterSeconds: 25 } })
  const first = await ask()
  expect([first.status, first.headers.get('retry-after')]).toEqual([429, '25'])
  clock.advance(4_000)
  const later = await ask()
  expect(later.headers.get('retry-after')).toBe('21')
  // The caller's own windows still have room.
  expect(Number(later.headers.get('x-ratelimit-remaining-requests'))).toBeGreaterThan(1_000)
  const { code, message } = await readError(later)
  expect(code).toBe('supplier_rate_limited')
  expect(message).toContain('sandbox-chat')
})

test('sends the earliest of several retry times, whichever supplier was tried last', async () => {
  suppliers.first.faults.set({ fault: { type: 'status', status: 429, retryAfterSeconds: 7 } })
  suppliers.second.faults.set({ fault: { type: 'status', status: 429, retryAfterSeconds: 50 } })
  expect((await ask()).headers.get('retry-after')).toBe('7')
  clock.advance(6_000)
  expect((await ask()).headers.get('retry-after')).toBe('1')
})

test('without a retry time from the supplier, sends how long the credential is paused', async () => {
  for (const sandbox of [suppliers.first, suppliers.second])
    sandbox.faults.set({ fault: { type: 'status', status: 429 } })
  expect((await ask()).headers.get('retry-after')).toBe('5')
  clock.advance(2_000)
  expect((await ask()).headers.get('retry-after')).toBe('3')
})

test('with untried candidates left, sends a retry time of one second', async () => {
  for (const id of ['third', 'fourth'])
    await addSupplier(suppliers.gateway, { id, sandbox: suppliers.second })
  await addModel(suppliers.gateway, 'crowd', { suppliers: ['first', 'second', 'third', 'fourth'] })
  for (const sandbox of [suppliers.first, suppliers.second])
    sandbox.faults.set({ fault: { type: 'status', status: 429, retryAfterSeconds: 40 } })
  expect((await ask({ model: 'crowd' })).headers.get('retry-after')).toBe('1')
  expect((await ask({ model: 'crowd' })).headers.get('retry-after')).toBe('40')
})

test('a model’s own limit counts requests, not attempts', async () => {
  await suppliers.gateway.operator('PUT', '/models/pair', {
    owned_by: 'tests',
    output_token_limit: 4096,
    rpm: 1,
  })
  suppliers.first.faults.set({ fault: { type: 'status', status: 500 } })
  expect((await ask()).headers.get('x-gateway-attempts')).toBe('2')
  const refused = await ask()
  expect([refused.status, (await readError(refused)).code]).toEqual([429, 'supplier_rate_limited'])
})

test('each attempt of a request is recorded with its reason, result and times', async () => {
  suppliers.first.faults.set({ times: 1, fault: { type: 'status', status: 500 } })
  const response = await ask()
  const id = response.headers.get('x-request-id')
  const { attempts } = await suppliers.gateway.operator<{ attempts: Record<string, unknown>[] }>(
    'GET',
    `/settlements/${id}`,
  )
  expect(attempts).toMatchObject([
    { supplier: 'first', result: 'failed', status: 500, reason: expect.any(String) },
    { supplier: 'second', result: 'answered', status: 200, reason: expect.any(String) },
  ])
})
