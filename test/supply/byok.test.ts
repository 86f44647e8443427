import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { type Sandbox, startSandbox } from '../../src/sandbox/server.ts'
import { balanceOf, createKey, type IssuedKey, openAccount } from '../support/accounts.ts'
import { chat, readError, refusalOf } from '../support/chat.ts'
import { onlySettlementOf, settlementsOf } from '../support/settlements.ts'
import { addModel, addSupplier } from '../support/supply.ts'
import { startTestGateway, type TestGateway } from '../support/test-gateway.ts'

/** The service both the platform and the account have a key of, and one only the platform has. */
let service: Sandbox
let elsewhere: Sandbox
let gateway: TestGateway
let account: string
let ownSupplier: string
let supplierCount = 0

const FORMATS = ['chat-completion'] as const

beforeAll(async () => {
  service = startSandbox()
  elsewhere = startSandbox()
  gateway = await startTestGateway()
  await addSupplier(gateway, { id: 'platform', sandbox: service })
  await addSupplier(gateway, { id: 'elsewhere', sandbox: elsewhere })
  await addModel(gateway, 'both', { suppliers: ['platform', 'elsewhere'] })
  await addModel(gateway, 'far', { suppliers: ['elsewhere'] })
})
beforeEach(async () => {
  // Nothing paid and no credit: whatever costs anything is refused.
  account = await openAccount(gateway, '0')
  ownSupplier = `own-${++supplierCount}`
  await addOwnSupplier(ownSupplier, account)
})
afterEach(() => {
  service.faults.clear()
})
afterAll(async () => {
  await gateway.stop()
  await service.stop()
  await elsewhere.stop()
})

async function addOwnSupplier(id: string, accountId: string, fields: object = {}): Promise<void> {
  await gateway.operator('PUT', `/suppliers/${id}`, {
    type: 'openai-compatible',
    base_url: `${service.url}/v1`,
    formats: FORMATS,
    source: 'byok',
    account_id: accountId,
    ...fields,
  })
  await gateway.operator('POST', `/suppliers/${id}/credentials`, { secret: 'sk-sandbox-of-the-account' })
}

/** The log keeps only the last calls, but numbers them all. */
const callsTo = (sandbox: Sandbox) => sandbox.calls.at(-1)?.number ?? 0

const ask = (model: string, { secret }: IssuedKey) => chat(gateway.url, { model }, { key: secret })

interface Entry {
  readonly id: string
  readonly gateway: { readonly source: string; readonly routeable: boolean }
}

async function sourcesFor({ secret }: IssuedKey): Promise<Record<string, string>> {
  const headers = { authorization: `Bearer ${secret}` }
  const list = (await (await fetch(`${gateway.url}/v1/models`, { headers })).json()) as { data: Entry[] }
  const known = list.data.filter(({ id }) => ['both', 'far'].includes(id))
  return Object.fromEntries(known.map(({ id, gateway: facts }) => [id, facts.source]))
}

describe('a supplier of an account', () => {
  test('needs no routes, costs nothing, and its usage is recorded', async () => {
    const key = await createKey(gateway, account)
    const answer = await ask('both', key)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('x-gateway-route')).toBe(ownSupplier)
    await answer.arrayBuffer()
    const settlement = await onlySettlementOf(gateway, key.id)
    expect(settlement).toMatchObject({ supplier: ownSupplier, amount: '0', outcome: 'completed' })
    expect(settlement.usage.output).toBeGreaterThan(0)
    expect(settlement.usage.input).toBeGreaterThan(0)
    expect(await balanceOf(gateway, account)).toBe('0')
  })

  test('serves streams at no cost as well', async () => {
    const key = await createKey(gateway, account)
    const answer = await chat(gateway.url, { model: 'both', stream: true }, { key: key.secret })
    expect(await answer.text()).toEndWith('data: [DONE]\n\n')
    expect(await onlySettlementOf(gateway, key.id)).toMatchObject({ supplier: ownSupplier, amount: '0' })
  })

  test('leaves models it does not have to shared suppliers at their price', async () => {
    const key = await createKey(gateway, account)
    expect(await sourcesFor(key)).toEqual({ both: 'byok', far: 'shared' })
    expect(await refusalOf(await ask('far', key))).toEqual([403, 'spending_limit_exceeded'])
    await gateway.operator('POST', `/accounts/${account}/payments`, { amount: '1', reference: 'r' })
    const answer = await ask('far', key)
    expect([answer.status, answer.headers.get('x-gateway-route')]).toEqual([200, 'elsewhere'])
  })

  test('may have its own routes, without a price', async () => {
    await gateway.operator('PUT', `/models/far/routes/${ownSupplier}`, { upstream_model: 'sandbox-chat' })
    const key = await createKey(gateway, account)
    expect(await sourcesFor(key)).toEqual({ both: 'byok', far: 'byok' })
    expect((await ask('far', key)).status).toBe(200)
  })

  test('works as a specified provider', async () => {
    const key = await createKey(gateway, account, {
      route_policy: { mode: 'specified_provider', provider: ownSupplier },
      shared_fallback: true,
    })
    expect(await sourcesFor(key)).toEqual({ both: 'byok' })
    expect((await ask('both', key)).headers.get('x-gateway-route')).toBe(ownSupplier)
    expect(await refusalOf(await ask('far', key))).toEqual([404, 'model_not_found'])
  })
})

describe('when the account’s own supplier fails', () => {
  beforeEach(async () => {
    await gateway.operator('PUT', `/suppliers/${ownSupplier}`, {
      type: 'openai-compatible',
      base_url: 'http://127.0.0.1:1/v1',
      formats: FORMATS,
      source: 'byok',
      account_id: account,
    })
    await gateway.operator('PUT', `/models/both/routes/${ownSupplier}`, { upstream_model: 'sandbox-chat' })
    await gateway.operator('PATCH', `/accounts/${account}`, { credit_line: null })
  })

  test('no shared supplier is used', async () => {
    const key = await createKey(gateway, account)
    const calls = callsTo(service) + callsTo(elsewhere)
    const answer = await ask('both', key)
    expect(answer.status).toBeGreaterThanOrEqual(500)
    expect((await readError(answer)).message).not.toContain(ownSupplier)
    expect(callsTo(service) + callsTo(elsewhere)).toBe(calls)
    const { attempts, amount } = await onlySettlementOf(gateway, key.id)
    expect(new Set(attempts.map(({ supplier }) => supplier))).toEqual(new Set([ownSupplier]))
    expect(amount).toBe('0')
  })

  test('a key that may fall back is served by a shared one, and pays for it', async () => {
    const key = await createKey(gateway, account, { shared_fallback: true })
    expect(await sourcesFor(key)).toEqual({ both: 'mixed', far: 'shared' })
    const answer = await ask('both', key)
    expect(answer.status).toBe(200)
    await answer.arrayBuffer()
    const { attempts, supplier, amount } = await onlySettlementOf(gateway, key.id)
    expect(attempts[0]?.supplier).toBe(ownSupplier)
    expect(['platform', 'elsewhere']).toContain(supplier ?? '')
    expect(Number(amount)).toBeGreaterThan(0)
    expect(await balanceOf(gateway, account)).toBe(`-${amount}`)
  })

  test('a key that may fall back must be able to pay for the most expensive one', async () => {
    await gateway.operator('PATCH', `/accounts/${account}`, { credit_line: '0' })
    const key = await createKey(gateway, account, { shared_fallback: true })
    expect(await refusalOf(await ask('both', key))).toEqual([403, 'spending_limit_exceeded'])
  })

  test('a disabled credential does not cause spending elsewhere', async () => {
    const path = `/suppliers/${ownSupplier}/credentials`
    const { data } = await gateway.operator<{ data: { id: string }[] }>('GET', path)
    await gateway.operator('PATCH', `/credentials/${data[0]?.id}`, { state: 'disabled' })
    const key = await createKey(gateway, account)
    const calls = callsTo(elsewhere)
    expect((await ask('both', key)).status).toBe(503)
    expect(callsTo(elsewhere)).toBe(calls)
  })
})

test('with enough balance, a key that may fall back still uses its own supplier first, for free', async () => {
  await gateway.operator('PATCH', `/accounts/${account}`, { credit_line: '5' })
  const key = await createKey(gateway, account, { shared_fallback: true })
  for (let number = 0; number < 6; number += 1) {
    const answer = await chat(
      gateway.url,
      { model: 'both', messages: [{ role: 'user', content: `question ${number}` }] },
      { key: key.secret },
    )
    expect(answer.headers.get('x-gateway-route')).toBe(ownSupplier)
    await answer.arrayBuffer()
  }
  const settlements = await settlementsOf(gateway, key.id, 6)
  expect(new Set(settlements.map(({ amount }) => amount))).toEqual(new Set(['0']))
})

test('other accounts neither see nor use it', async () => {
  const stranger = await openAccount(gateway)
  const key = await createKey(gateway, stranger)
  expect(await sourcesFor(key)).toEqual({ both: 'shared', far: 'shared' })
  const answer = await ask('both', key)
  expect(answer.headers.get('x-gateway-route')).not.toBe(ownSupplier)
  const policy = { mode: 'specified_provider', provider: ownSupplier }
  await expect(createKey(gateway, stranger, { route_policy: policy })).rejects.toThrow(
    `There is no supplier \\"${ownSupplier}\\"`,
  )
})
