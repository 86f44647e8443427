import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { AT_PRICE, NO_SESSION } from '../../src/vocabulary/settlement.ts'
import { createKey, openAccount } from '../support/accounts.ts'
import { createMovableClock, type MovableClock } from '../support/movable-clock.ts'
import { addModel } from '../support/supply.ts'
import {
  makeDataFolder,
  removeDataFolder,
  startTestGateway,
  type TestGateway,
} from '../support/test-gateway.ts'
import { isSignedWith, type Receiver, startReceiver } from './receiver.ts'
import { alertsOf, costOf, spend } from './support.ts'

let clock: MovableClock
let gateway: TestGateway
let receiver: Receiver
let dataFolder: string
let account: string
let key: string
let secret: string
beforeEach(async () => {
  clock = createMovableClock()
  dataFolder = makeDataFolder()
  receiver = startReceiver()
  gateway = await start()
  await addModel(gateway, 'priced', { suppliers: ['sandbox-openai'] })
  account = await openAccount(gateway)
  key = (await createKey(gateway, account, { budget: { amount: costOf(2n), thresholds: [50] } })).secret
  secret = await setWebhook()
})
afterEach(async () => {
  await gateway.stop()
  await receiver.stop()
  removeDataFolder(dataFolder)
})

function start(): Promise<TestGateway> {
  return startTestGateway({ clock, dataFolder, environment: { TURNPIKE_WEBHOOK_ALLOW_PRIVATE: 'on' } })
}

async function setWebhook(fields: object = {}): Promise<string> {
  const path = `/accounts/${account}/webhook`
  return (await gateway.operator<{ secret: string }>('PUT', path, { url: receiver.url, ...fields })).secret
}

const deliver = () => gateway.alerts.deliverDue(clock.nowMs())
const deliveryOf = async () => (await alertsOf(gateway, account)).at(-1)?.delivery

describe('an alert of an account with a webhook', () => {
  test('is delivered with a signature over time and body', async () => {
    await spend(gateway, key)
    await gateway.alerts.beat()
    const [alert] = await alertsOf(gateway, account)
    const [call] = receiver.calls
    if (call === undefined || alert === undefined) throw new Error('the webhook was not called')
    expect<object>(alert).toEqual({
      ...call.body,
      delivery: { state: 'delivered', tries: 1, next_try_at: null, last_failure: null },
      title: 'Key Test key has spent 50% of its budget',
      subject: call.body.data.key_id,
      status: null,
      channels: [],
    })
    expect(isSignedWith(call, secret)).toBe(true)
    expect(isSignedWith({ ...call, timestamp: call.timestamp + 1 }, secret)).toBe(false)
    expect(call.timestamp).toBe(clock.nowMs() / 1_000)
    clock.advance(3_600_000)
    await deliver()
    expect(receiver.calls).toHaveLength(1)
  })

  test('is tried six times in about half an hour, with the same body and a new signature each time', async () => {
    receiver.answerWith(() => new Response(null, { status: 503 }))
    await spend(gateway, key)
    await gateway.alerts.beat()
    const waits: number[] = []
    for (;;) {
      const next = (await deliveryOf())?.next_try_at
      if (next === null || next === undefined) break
      const waitMs = Date.parse(next) - clock.nowMs()
      waits.push(waitMs)
      clock.advance(waitMs - 1)
      await deliver()
      expect(receiver.calls).toHaveLength(waits.length)
      clock.advance(1)
      await deliver()
      expect(receiver.calls).toHaveLength(waits.length + 1)
    }
    expect(waits).toEqual([15_000, 45_000, 135_000, 405_000, 1_215_000])
    expect(await deliveryOf()).toEqual({
      state: 'failed',
      tries: 6,
      next_try_at: null,
      last_failure: 'The receiver answered 503.',
    })
    expect(new Set(receiver.calls.map(({ text }) => text)).size).toBe(1)
    expect(new Set(receiver.calls.map(({ timestamp }) => timestamp)).size).toBe(6)
    for (const call of receiver.calls) expect(isSignedWith(call, secret)).toBe(true)
    clock.advance(86_400_000)
    await deliver()
    expect(receiver.calls).toHaveLength(6)
  })

  test('that failed at first is delivered when the receiver is back', async () => {
    receiver.answerWith(() => new Response(null, { status: 500 }))
    await spend(gateway, key)
    await gateway.alerts.beat()
    receiver.answerWith(() => new Response(null, { status: 202 }))
    clock.advance(15_000)
    await deliver()
    expect(await deliveryOf()).toMatchObject({ state: 'delivered', tries: 2, last_failure: null })
  })

  test('survives a restart, and a delivered one is not delivered again', async () => {
    receiver.answerWith(() => new Response(null, { status: 500 }))
    await spend(gateway, key)
    await gateway.alerts.beat()
    await gateway.stop()
    gateway = await start()
    await gateway.alerts.beat()
    expect(receiver.calls).toHaveLength(1)
    receiver.answerWith(() => new Response())
    clock.advance(15_000)
    await deliver()
    expect(receiver.calls).toHaveLength(2)
    await gateway.stop()
    gateway = await start()
    await spend(gateway, key)
    await gateway.alerts.beat()
    expect(receiver.calls).toHaveLength(2)
    expect(await alertsOf(gateway, account)).toHaveLength(1)
  })

  test('whose delivery the stop interrupted is delivered after its claim expires', async () => {
    const asked = Promise.withResolvers<void>()
    const silence = Promise.withResolvers<Response>()
    receiver.answerWith(() => {
      asked.resolve()
      return silence.promise
    })
    await spend(gateway, key)
    const beat = gateway.alerts.beat()
    await asked.promise
    await gateway.stop()
    await beat
    silence.resolve(new Response())
    gateway = await start()
    receiver.answerWith(() => new Response())
    clock.advance(59_999)
    await deliver()
    expect(receiver.calls).toHaveLength(1)
    clock.advance(1)
    await deliver()
    expect(await deliveryOf()).toMatchObject({ state: 'delivered', tries: 2 })
    expect(receiver.calls[1]?.text).toBe(receiver.calls[0]?.text ?? '')
  })

  test('is delivered once, even when several processes look for due deliveries', async () => {
    await spend(gateway, key)
    await gateway.alerts.raise()
    await Promise.all(Array.from({ length: 10 }, deliver))
    expect(receiver.calls).toHaveLength(1)
  })

  test('never delays a request, even when its receiver hangs', async () => {
    const asked = Promise.withResolvers<void>()
    const silence = Promise.withResolvers<Response>()
    receiver.answerWith(() => {
      asked.resolve()
      return silence.promise
    })
    await spend(gateway, key)
    const beat = gateway.alerts.beat()
    await asked.promise
    expect((await spend(gateway, key)).status).toBe(200)
    expect((await deliveryOf())?.state).toBe('pending')
    silence.resolve(new Response())
    await beat
    expect((await deliveryOf())?.state).toBe('delivered')
  })

  test('is not delivered to a webhook that was disabled or removed meanwhile', async () => {
    receiver.answerWith(() => new Response(null, { status: 500 }))
    await spend(gateway, key)
    await gateway.alerts.beat()
    await setWebhook({ enabled: false })
    clock.advance(15_000)
    await deliver()
    expect(await deliveryOf()).toMatchObject({ state: 'none', next_try_at: null })
    expect(receiver.calls).toHaveLength(1)
  })
})

test('an alert that was not stored before the process died is raised by the next', async () => {
  // What a process leaves that dies between settling and storing: the money is on record, the alert is not.
  const { id } = await createKey(gateway, account)
  await gateway.storage.writeSettlements([
    {
      requestId: 'req_of_the_dead',
      accountId: account,
      keyId: id,
      model: 'priced',
      supplier: null,
      credentialId: null,
      clientFormat: 'chat-completion',
      supplierFormat: null,
      stream: false,
      usage: { input: 1, cacheRead: 0, cacheWrite: 0, output: 1, reasoning: 0, images: 0 },
      provenance: 'supplier',
      price: null,
      amountNano: 5_000n,
      costNano: 5_000n,
      ...AT_PRICE,
      ...NO_SESSION,
      outcome: 'completed',
      attempts: [],
      startedAtMs: clock.nowMs(),
      firstByteMs: 1,
      durationMs: 2,
    },
  ])
  await gateway.operator('PATCH', `/keys/${id}`, { budget: { amount: '0.000005', thresholds: [100] } })
  expect(await alertsOf(gateway, account)).toEqual([])
  await gateway.stop()
  gateway = await start()
  await gateway.alerts.beat()
  expect((await alertsOf(gateway, account)).map(({ data }) => [data.key_id, data.threshold])).toEqual([
    [id, 100],
  ])
  expect(receiver.calls).toHaveLength(1)
})
