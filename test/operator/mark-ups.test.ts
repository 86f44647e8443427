import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { withMarkup } from '../../src/rules/ledger/charge.ts'
import { parseUsdt } from '../../src/vocabulary/money.ts'
import { createKey, openAccount } from '../support/accounts.ts'
import { chat, refusalOf, say } from '../support/chat.ts'
import { onlySettlementOf, type SettlementBody } from '../support/settlements.ts'
import { startTestGateway, type TestGateway } from '../support/test-gateway.ts'
import { addAccount, addSupply, type GatewayUnderTest, startGateway } from './gateway-under-test.ts'

describe('mark-ups', () => {
  let gateway: GatewayUnderTest
  let account: string
  beforeEach(async () => {
    gateway = await startGateway()
    await addSupply(gateway)
    account = await addAccount(gateway)
  })
  afterEach(() => gateway.close())

  const put = (id: string, body: object) => gateway.ask(`PUT /mark-ups/${id}`, body)

  test('are put, listed, changed and deleted, and each change is in force and stored', async () => {
    const versions = [(await gateway.storage.loadConfiguration()).version]
    const steps = [
      ['PUT', 'own', { applies_to: 'account', name: account, percent: 12.5 }],
      ['PUT', 'big', { applies_to: 'tier', name: 'Enterprise', percent: -10 }],
      ['PUT', 'gpt', { applies_to: 'model', name: 'gpt-5', percent: 0.01 }],
      ['PUT', 'gpt', { applies_to: 'model', name: 'gpt-5', percent: 1_000 }],
      ['DELETE', 'own', undefined],
    ] as const
    for (const [method, id, body] of steps) {
      const answer = await gateway.ask(`${method} /mark-ups/${id}`, body)
      expect([answer.status, answer.body]).toEqual([200, { id, ...(body ?? { deleted: true }) }])
      versions.push((await gateway.storage.loadConfiguration()).version)
    }
    expect(versions).toEqual(versions.map((_, index) => (versions[0] ?? 0) + index))
    const { data } = (await gateway.ask('GET /mark-ups')).body
    expect(data).toEqual([
      { id: 'gpt', applies_to: 'model', name: 'gpt-5', percent: 1_000 },
      { id: 'big', applies_to: 'tier', name: 'Enterprise', percent: -10 },
    ])
    expect(gateway.configuration.current().markUps).toEqual({
      account: new Map(),
      tier: new Map([['Enterprise', -1_000]]),
      model: new Map([['gpt-5', 100_000]]),
    })
    expect((await gateway.storage.loadConfiguration()).markUps).toHaveLength(2)
    const audit = (await gateway.ask('GET /audit')).body.data.map(({ action }: { action: string }) => action)
    expect(audit.slice(0, 3)).toEqual(['mark_up.deleted', 'mark_up.changed', 'mark_up.created'])
  })

  test('leave no event when they stay the same', async () => {
    const trial = (percent: number) => put('trial', { applies_to: 'tier', name: 'Trial', percent })
    await trial(0)
    const before = await gateway.ask('GET /audit')
    await trial(0)
    await trial(-0)
    expect((await gateway.ask('GET /audit')).body).toEqual(before.body)
  })

  test('leave nothing behind in the configuration when the last one is deleted', async () => {
    await put('own', { applies_to: 'account', name: account, percent: 1 })
    await gateway.ask('DELETE /mark-ups/own')
    expect(gateway.configuration.current().markUps).toBeNull()
  })

  test.each([
    [{ applies_to: 'account', name: 'acc_9' }, 'name', 'There is no account "acc_9".'],
    [{ applies_to: 'model', name: 'gpt-9' }, 'name', 'There is no model "gpt-9".'],
    [{ applies_to: 'tier', name: 'gold' }, 'name', 'There is no tier "gold". Tiers are Starter,'],
    [{ applies_to: 'key' }, 'applies_to', 'applies_to'],
    [{ percent: 0.001 }, 'percent', 'percent'],
    [{ percent: -100.01 }, 'percent', 'percent'],
    [{ percent: 1_000.01 }, 'percent', 'percent'],
    [{ percent: '10' }, 'percent', 'percent'],
  ])('%j is refused', async (wrong, param, message) => {
    const body = { applies_to: 'tier', name: 'Trial', percent: 1, ...wrong }
    const { status, body: answer } = await put('new', body)
    expect([status, answer.error.param]).toEqual([400, param])
    expect(answer.error.message).toContain(message)
    expect(gateway.configuration.current().markUps).toBeNull()
  })

  test('a second one for the same is refused with the id of the first', async () => {
    await put('first', { applies_to: 'model', name: 'gpt-5', percent: 1 })
    const second = await put('second', { applies_to: 'model', name: 'gpt-5', percent: 2 })
    expect(second.body.error.message).toBe('The mark-up of model "gpt-5" is "first"; change that one.')
  })

  test('keep their model from being deleted', async () => {
    await gateway.ask('PUT /models/draft', { owned_by: 'acme' })
    await put('draft', { applies_to: 'model', name: 'draft', percent: 1 })
    const refused = await gateway.ask('DELETE /models/draft')
    expect(refused.body.error.message).toBe('Model "draft" has a mark-up; delete that first.')
    await gateway.ask('DELETE /mark-ups/draft')
    expect((await gateway.ask('DELETE /models/draft')).status).toBe(200)
  })
})

describe('a request with a mark-up', () => {
  let gateway: TestGateway
  beforeAll(async () => {
    gateway = await startTestGateway()
  })
  afterAll(() => gateway.stop())

  type Charged = SettlementBody & {
    readonly price: { readonly input: string; readonly output: string }
    readonly markup_percent: number | null
    readonly cost: string
  }

  async function chargeOf(accountId: string): Promise<Charged> {
    const key = await createKey(gateway, accountId)
    await (await chat(gateway.url, say('one two three'), { key: key.secret })).json()
    return (await onlySettlementOf(gateway, key.id)) as Charged
  }

  test('costs that much more, whatever the supplier charges, and its settlement says so', async () => {
    const account = await openAccount(gateway)
    const plain = await chargeOf(account)
    expect(plain.markup_percent).toBeNull()
    expect(parseUsdt(plain.amount, 'amount')).toBeGreaterThan(0n)
    await gateway.operator('PUT', '/mark-ups/own', { applies_to: 'account', name: account, percent: 12.34 })
    const marked = await chargeOf(account)
    expect([marked.markup_percent, marked.price, marked.usage]).toEqual([12.34, plain.price, plain.usage])
    expect(parseUsdt(marked.amount, 'amount')).toBe(withMarkup(parseUsdt(plain.amount, 'amount'), 1_234))
    expect(marked.cost).toBe(plain.amount)
    expect((await chargeOf(await openAccount(gateway))).markup_percent).toBeNull()
  })

  test('is held with it: what fits without it is refused', async () => {
    const account = await openAccount(gateway, '0.01')
    const key = await createKey(gateway, account)
    // Four thousand tokens at 1.5 USDT for a million are 0.006.
    const ask = () =>
      chat(
        gateway.url,
        { max_tokens: 4_000, ...say('ok') },
        { key: key.secret, headers: { 'x-gateway-strict': 'true' } },
      )
    await gateway.operator('PUT', '/mark-ups/big', { applies_to: 'account', name: account, percent: 100 })
    expect(await refusalOf(await ask())).toEqual([403, 'spending_limit_exceeded'])
    await gateway.operator('PUT', '/mark-ups/big', { applies_to: 'account', name: account, percent: -50 })
    const served = await ask()
    expect(served.status).toBe(200)
    await served.text()
  })
})
