import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { textDensity } from '../../src/conversation/token-estimate.ts'
import { formatUsdt, parseUsdt } from '../../src/vocabulary/money.ts'
import { balanceOf, createKey, createLoneKey, openAccount } from '../support/accounts.ts'
import { type ChatFields, chat, readError, refusalOf, say } from '../support/chat.ts'
import { findDifference } from '../support/find-difference.ts'
import { createMovableClock } from '../support/movable-clock.ts'
import { onlySettlementOf, settlementsOf } from '../support/settlements.ts'
import { addModel } from '../support/supply.ts'
import { startTestGateway, type TestGateway } from '../support/test-gateway.ts'

const DAY_MS = 86_400_000
const clock = createMovableClock()
let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway({ clock })
  await addModel(gateway, 'priced', { suppliers: ['sandbox-openai'] })
})
afterAll(() => gateway.stop())

const SENTENCE = 'x'.repeat(35)
const request = { model: 'priced', ...say(SENTENCE), max_tokens: 10 }
const HOLD_NANO = holdOf(request, 'say: '.length + SENTENCE.length)

/** The prompt by its estimate, with 15 % for its error, at 1,000 nano a token, and 10 tokens of output at 2,000. */
function holdOf(body: ChatFields, promptCharacters: number): bigint {
  const promptTokens = Math.ceil(promptCharacters * textDensity(body))
  return BigInt(Math.ceil(promptTokens * 1.15)) * 1_000n + 10n * 2_000n
}

const amountOf = (text: string) => parseUsdt(text, 'amount')

async function spend(key: string): Promise<Response> {
  const response = await chat(gateway.url, request, { key })
  await response.clone().arrayBuffer()
  return response
}

describe('a key spending limit', () => {
  /** Sends 50 requests at once with a key that may spend ten holds, and tells what came of it. */
  async function rush(fields: ChatFields, holdNano: bigint) {
    const limitNano = 10n * holdNano
    const usage_limit = { period: 'daily', amount: formatUsdt(limitNano) }
    const { id, secret } = await createLoneKey(gateway, { usage_limit })
    const responses = await Promise.all(
      Array.from({ length: 50 }, () => chat(gateway.url, fields, { key: secret })),
    )
    const refusals = await Promise.all(responses.filter(({ status }) => status !== 200).map(refusalOf))
    const settlements = await settlementsOf(gateway, id, responses.length - refusals.length)
    const amounts = settlements.map(({ amount }) => amountOf(amount))
    const settledNano = amounts.reduce((sum, amount) => sum + amount, 0n)
    // The requests are alike, so the error of the estimate is the same for each.
    const errorNano = (amounts[0] ?? 0n) - holdNano
    const figures = { limitNano, holdNano, errorNano, admitted: settlements.length, settledNano }
    console.log(
      Object.entries(figures)
        .map(([name, value]) => `${name} ${value}`)
        .join(', '),
    )
    return { ...figures, refusals, settlements }
  }

  test('50 parallel requests against a limit worth 10 of them never spend more than the limit', async () => {
    const { limitNano, errorNano, admitted, settledNano, refusals } = await rush(request, HOLD_NANO)
    expect(errorNano).toBeLessThanOrEqual(0n)
    expect(admitted).toBeGreaterThanOrEqual(10)
    expect(settledNano).toBeLessThanOrEqual(limitNano)
    expect(refusals).toHaveLength(50 - admitted)
    for (const refusal of refusals) expect(refusal).toEqual([403, 'spending_limit_exceeded'])
  })

  test('where the prompt was estimated too low, each admitted request may exceed its hold by the error', async () => {
    // The sandbox counts the role of every turn, which the estimate does not know.
    const messages = Array.from({ length: 20 }, () => ({ role: 'user', content: 'abcd' }))
    const long = { model: 'priced', messages, max_tokens: 10 }
    const { limitNano, errorNano, admitted, settledNano } = await rush(long, holdOf(long, 80))
    expect(errorNano).toBeGreaterThan(0n)
    expect(admitted).toBeLessThanOrEqual(10)
    expect(settledNano).toBeLessThanOrEqual(limitNano + BigInt(admitted) * errorNano)
  })

  test('a request that does not fit is refused and one that fits is served', async () => {
    const usage_limit = { period: 'forever', amount: formatUsdt(HOLD_NANO - 1n) }
    const { id, secret } = await createLoneKey(gateway, { usage_limit })
    const refused = await spend(secret)
    expect((await readError(refused)).message).toContain('spending limit of this API key')
    await gateway.operator('PATCH', `/keys/${id}`, {
      usage_limit: { period: 'forever', amount: formatUsdt(HOLD_NANO) },
    })
    expect((await spend(secret)).status).toBe(200)
  })

  test('a key that has reached its limit stops working everywhere until its period ends', async () => {
    const { id, secret } = await createLoneKey(gateway)
    await spend(secret)
    const { amount } = await onlySettlementOf(gateway, id)
    await gateway.operator('PATCH', `/keys/${id}`, { usage_limit: { period: 'daily', amount } })
    expect(await refusalOf(await spend(secret))).toEqual([403, 'spending_limit_exceeded'])
    const headers = { authorization: `Bearer ${secret}` }
    const discovery = await fetch(`${gateway.url}/v1/models`, { headers })
    expect(discovery.headers.get('x-ratelimit-remaining-requests')).not.toBeNull()
    expect(await refusalOf(discovery)).toEqual([403, 'spending_limit_exceeded'])
    clock.advance(DAY_MS)
    expect((await fetch(`${gateway.url}/v1/models`, { headers })).status).toBe(200)
  })

  test('what a key spent before its limit was set counts, whatever the period', async () => {
    const { id, secret } = await createLoneKey(gateway)
    await spend(secret)
    const { amount } = await onlySettlementOf(gateway, id)
    for (const period of ['daily', 'weekly', 'monthly', 'forever']) {
      await gateway.operator('PATCH', `/keys/${id}`, { usage_limit: { period, amount } })
      expect(await refusalOf(await spend(secret))).toEqual([403, 'spending_limit_exceeded'])
    }
    await gateway.operator('PATCH', `/keys/${id}`, { usage_limit: null })
    expect((await spend(secret)).status).toBe(200)
  })
})

describe('the balance of an account', () => {
  test('without credit and balance nothing is served; after a payment it is', async () => {
    const account = await openAccount(gateway, '0')
    const { id, secret } = await createKey(gateway, account)
    const refused = await spend(secret)
    expect(refused.status).toBe(403)
    expect((await readError(refused)).message).toContain('balance of this account')
    await gateway.operator('POST', `/accounts/${account}/payments`, { amount: '1', reference: 'first' })
    expect((await spend(secret)).status).toBe(200)
    const { amount } = await onlySettlementOf(gateway, id)
    expect(amountOf(amount)).toBeGreaterThan(0n)
    expect(amountOf(await balanceOf(gateway, account))).toBe(amountOf('1') - amountOf(amount))
  })

  test('the credit line is how far below zero it may go', async () => {
    const account = await openAccount(gateway, formatUsdt(HOLD_NANO))
    const { id, secret } = await createKey(gateway, account)
    expect((await spend(secret)).status).toBe(200)
    const { amount } = await onlySettlementOf(gateway, id)
    // What is left of the line is less than another hold, so the account has to stop here.
    expect(await refusalOf(await spend(secret))).toEqual([403, 'spending_limit_exceeded'])
    expect(await balanceOf(gateway, account)).toBe(`-${amount}`)
    const wider = formatUsdt(HOLD_NANO + amountOf(amount))
    await gateway.operator('PATCH', `/accounts/${account}`, { credit_line: wider })
    expect((await spend(secret)).status).toBe(200)
  })

  test('a negative adjustment removes it again', async () => {
    const account = await openAccount(gateway, '0')
    const { secret } = await createKey(gateway, account)
    await gateway.operator('POST', `/accounts/${account}/payments`, { amount: '1', reference: 'second' })
    await gateway.operator('POST', `/accounts/${account}/adjustments`, { amount: '-1', reason: 'returned' })
    expect(await refusalOf(await spend(secret))).toEqual([403, 'spending_limit_exceeded'])
  })

  test('parallel requests never spend more than the balance', async () => {
    const account = await openAccount(gateway, formatUsdt(5n * HOLD_NANO))
    const { id, secret } = await createKey(gateway, account)
    const responses = await Promise.all(Array.from({ length: 30 }, () => spend(secret)))
    const admitted = responses.filter(({ status }) => status === 200).length
    const settlements = await settlementsOf(gateway, id, admitted)
    const settledNano = settlements.reduce((sum, { amount }) => sum + amountOf(amount), 0n)
    expect(admitted).toBeGreaterThanOrEqual(5)
    expect(admitted).toBeLessThan(30)
    expect(settledNano).toBeLessThanOrEqual(5n * HOLD_NANO)
  })

  test('1,000 parallel requests against a balance worth 100', async () => {
    const account = await openAccount(gateway, '0')
    const limits = { rpm: 100_000, tpm: 1_000_000_000 }
    await gateway.operator('PUT', `/accounts/${account}/tier`, {
      tier: 'Enterprise',
      ...limits,
      reason: 'test',
    })
    const amount = formatUsdt(100n * HOLD_NANO)
    await gateway.operator('POST', `/accounts/${account}/payments`, { amount, reference: 'rush' })
    const { id, secret } = await createKey(gateway, account)
    const responses = await Promise.all(Array.from({ length: 1_000 }, () => spend(secret)))
    const admitted = responses.filter(({ status }) => status === 200).length
    const settlements = await settlementsOf(gateway, id, admitted)
    const amounts = settlements.map((settlement) => amountOf(settlement.amount))
    const settledNano = amounts.reduce((sum, each) => sum + each, 0n)
    const errorNano = amounts.reduce((sum, each) => sum + (each > HOLD_NANO ? each - HOLD_NANO : 0n), 0n)
    console.log(
      `balance ${100n * HOLD_NANO}, admitted ${admitted}, settled ${settledNano}, errors ${errorNano}`,
    )
    expect(admitted).toBeGreaterThanOrEqual(100)
    expect(settledNano).toBeLessThanOrEqual(100n * HOLD_NANO + errorNano)
    expect(amountOf(await balanceOf(gateway, account))).toBe(100n * HOLD_NANO - settledNano)
  })

  test('a refused request leaves no settlement and the ledger agrees with the balances', async () => {
    const account = await openAccount(gateway, '0')
    const { id, secret } = await createKey(gateway, account)
    expect((await spend(secret)).status).toBe(403)
    const { data } = await gateway.operator<{ data: unknown[] }>('GET', `/settlements?key=${id}`)
    expect(data).toEqual([])
    expect(await findDifference(gateway.storage)).toBeNull()
  })
})
