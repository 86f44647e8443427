import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { type Sandbox, startSandbox } from '../../src/sandbox/server.ts'
import { createKey, type IssuedKey, openAccount } from '../support/accounts.ts'
import { chat, refusalOf, say } from '../support/chat.ts'
import { findDifference } from '../support/find-difference.ts'
import { PauseGate } from '../support/pause-gate.ts'
import { onlySettlementOf } from '../support/settlements.ts'
import { StreamReader } from '../support/stream-reader.ts'
import { addModel, addSupplier } from '../support/supply.ts'
import { startTestGateway, type TestGateway } from '../support/test-gateway.ts'

const gate = new PauseGate()
let gateway: TestGateway
let gated: Sandbox
let account: string
let key: IssuedKey

beforeAll(async () => {
  gateway = await startTestGateway()
  gated = startSandbox({ wait: gate.wait })
  await addSupplier(gateway, { id: 'gated', sandbox: gated })
  await addModel(gateway, 'gated', { suppliers: ['gated'] })
})
afterEach(() => gate.close())
afterAll(async () => {
  await gateway.stop()
  await gated.stop()
})

const ask = (fields: Readonly<Record<string, unknown>>) =>
  chat(gateway.url, { model: 'gated', max_tokens: 100, ...fields }, { key: key.secret })

/** A stream that has begun and ends when the gate opens. */
async function begin(limit: object | null = null): Promise<StreamReader> {
  account = await openAccount(gateway)
  key = await createKey(gateway, account, { usage_limit: limit })
  gate.allow(2)
  gated.faults.set({ times: 1, fault: { type: 'latency', betweenPiecesMs: 1 } })
  const fields = { stream: true, ...say('The quick brown fox jumps over the lazy dog.') }
  const reader = new StreamReader(await ask(fields))
  await reader.readUntil('quick')
  return reader
}

interface Usage {
  readonly spent: string
  readonly held: string
  readonly remaining: string | null
}

const usageOf = async () => (await gateway.operator<{ usage: Usage }>('GET', `/keys/${key.id}`)).usage

/** Whatever changed meanwhile, the request ends as it began: whole, charged, and with nothing held for it. */
async function expectGoodEnd(reader: StreamReader): Promise<string> {
  gate.open()
  expect(await reader.readToEnd()).toEndWith('data: [DONE]\n\n')
  const { outcome, amount } = await onlySettlementOf(gateway, key.id)
  expect([outcome, Number(amount) > 0]).toEqual(['completed', true])
  expect(await usageOf()).toMatchObject({ spent: amount, held: '0' })
  expect(await findDifference(gateway.storage)).toBeNull()
  return amount
}

describe('while a request is under way', () => {
  test('its key is revoked', async () => {
    const reader = await begin()
    expect(Number((await usageOf()).held)).toBeGreaterThan(0)
    await gateway.operator('DELETE', `/keys/${key.id}`)
    expect(await refusalOf(await ask({}))).toEqual([401, 'auth_invalid'])
    await expectGoodEnd(reader)
  })

  test('its key is given a limit below what is held, and another period', async () => {
    const reader = await begin({ period: 'daily', amount: '1' })
    const { held } = await usageOf()
    for (const period of ['weekly', 'forever']) {
      await gateway.operator('PATCH', `/keys/${key.id}`, { usage_limit: { period, amount: '0.000001' } })
      expect(await usageOf()).toMatchObject({ spent: '0', held, remaining: '0.000001' })
      expect(await refusalOf(await ask({}))).toEqual([403, 'spending_limit_exceeded'])
    }
    await expectGoodEnd(reader)
    expect((await usageOf()).remaining).toBe('0')
  })

  test('the credit line of its account is taken away', async () => {
    const reader = await begin()
    await gateway.operator('PATCH', `/accounts/${account}`, { credit_line: '0' })
    expect(await refusalOf(await ask({}))).toEqual([403, 'spending_limit_exceeded'])
    const amount = await expectGoodEnd(reader)
    await gateway.operator('PATCH', `/accounts/${account}`, { credit_line: '0.000001' })
    expect(await refusalOf(await ask({}))).toEqual([403, 'spending_limit_exceeded'])
    await gateway.operator('POST', `/accounts/${account}/payments`, { amount, reference: 'what it cost' })
    await gateway.operator('PATCH', `/accounts/${account}`, { credit_line: '1' })
    expect((await ask({})).status).toBe(200)
  })

  test('the price of its model rises: it is charged the price at its start', async () => {
    const reader = await begin()
    const route = { upstream_model: 'sandbox-chat', price: { input: '1000', output: '1000' }, enabled: true }
    await gateway.operator('PUT', '/models/gated/routes/gated', route)
    expect(Number(await expectGoodEnd(reader))).toBeLessThan(0.001)
  })
})
