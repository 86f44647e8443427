import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createKey, openAccount } from '../support/accounts.ts'
import { chat, say } from '../support/chat.ts'
import { addModel } from '../support/supply.ts'
import { OPERATOR_TOKEN, startTestGateway, type TestGateway } from '../support/test-gateway.ts'

// The columns that FOCUS 1.2 demands of every dataset, and those it demands of one with prices, mark-ups and USDT.
const MANDATORY = [
  ...['BilledCost', 'BillingAccountId', 'BillingAccountName', 'BillingCurrency', 'BillingPeriodEnd'],
  ...['BillingPeriodStart', 'ChargeCategory', 'ChargeClass', 'ChargeDescription', 'ChargePeriodEnd'],
  ...['ChargePeriodStart', 'ContractedCost', 'EffectiveCost', 'InvoiceIssuerName', 'ListCost'],
  ...['ContractedUnitPrice', 'ListUnitPrice', 'PricingCurrency', 'PricingCurrencyContractedUnitPrice'],
  ...['PricingCurrencyEffectiveCost', 'PricingCurrencyListUnitPrice', 'SkuMeter', 'SkuPriceDetails'],
  ...['PricingQuantity', 'PricingUnit', 'ProviderName', 'PublisherName', 'ServiceCategory', 'ServiceName'],
]

type Line = Readonly<Record<string, string>> & { readonly ConsumedQuantity: number; readonly cursor: string }

let gateway: TestGateway
let accountId: string
beforeAll(async () => {
  gateway = await startTestGateway()
  accountId = await openAccount(gateway)
  await addModel(gateway, 'priced', { suppliers: ['sandbox-openai'] })
  await gateway.operator('PUT', '/mark-ups/tenth', { applies_to: 'account', name: accountId, percent: 10 })
  const { secret } = await createKey(gateway, accountId)
  for (let call = 0; call < 3; call++) {
    await (
      await chat(gateway.url, { model: 'priced', ...say(`one two three ${call}`) }, { key: secret })
    ).text()
  }
})
afterAll(() => gateway.stop())

async function exported(query: string): Promise<string> {
  const url = `${gateway.url}/operator/v1/exports/focus?account_id=${accountId}&${query}`
  const response = await fetch(url, { headers: { authorization: `Bearer ${OPERATOR_TOKEN}` } })
  const text = await response.text()
  if (!response.ok) throw new Error(text)
  return text
}
const linesOf = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Line)
const nanoOf = (text = '0') => BigInt(Math.round(Number(text) * 1e9))

test('every charge is a line, and the lines of a request add up to its amount', async () => {
  const lines = linesOf(await exported('format=jsonl'))
  const { data } = await gateway.operator<{ data: { request_id: string; amount: string }[] }>(
    'GET',
    `/settlements?account=${accountId}`,
  )
  expect(data).toHaveLength(3)
  for (const { request_id, amount } of data) {
    const own = lines.filter((line) => line.x_RequestId === request_id)
    expect(own.length).toBeGreaterThan(1)
    expect(own.reduce((sum, { BilledCost }) => sum + nanoOf(BilledCost), 0n)).toBe(nanoOf(amount))
    // With the mark-up, an account pays a tenth more than the list price.
    const list = own.reduce((sum, { ListCost }) => sum + Number(ListCost), 0)
    expect(Number(amount) / list).toBeCloseTo(1.1, 3)
  }
  const [first] = lines
  for (const name of MANDATORY) expect(Object.keys(first ?? {})).toContain(name)
  expect(first).toMatchObject({
    BillingAccountId: accountId,
    BillingCurrency: 'USD',
    ChargeCategory: 'Usage',
    ConsumedUnit: 'Tokens',
    PricingUnit: '1000000 Tokens',
    ServiceCategory: 'AI and Machine Learning',
    SkuId: expect.stringMatching(/^priced\//),
  })
  expect(Number(first?.PricingQuantity)).toBe((first?.ConsumedQuantity ?? 0) / 1e6)
  for (const line of lines) {
    // FOCUS: quantity times price is cost, at the list price and at that of the account.
    const costAt = (price: string | undefined) => Number(line.PricingQuantity) * Number(price)
    expect(Number(line.ListCost)).toBeCloseTo(costAt(line.ListUnitPrice), 15)
    expect(Number(line.ContractedCost)).toBeCloseTo(costAt(line.ContractedUnitPrice), 15)
    expect(Number(line.ContractedUnitPrice)).toBeCloseTo(Number(line.ListUnitPrice) * 1.1, 12)
    expect(line.PricingCurrencyContractedUnitPrice).toBe(line.ContractedUnitPrice ?? '')
    expect(line.PricingCurrencyEffectiveCost).toBe(line.EffectiveCost ?? '')
    expect(`${line.ChargePeriodStart} ${line.ChargePeriodEnd}`).toMatch(
      /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/,
    )
    expect(Date.parse(line.ChargePeriodEnd ?? '')).toBeGreaterThan(Date.parse(line.ChargePeriodStart ?? ''))
    expect(line.ChargeDescription).toBe(`priced: ${line.SkuMeter}`)
  }
})

test('an export that is cut off anywhere continues with the next line', async () => {
  const all = linesOf(await exported('format=jsonl'))
  for (let count = 1; count <= all.length; count++) {
    const part = linesOf(await exported(`format=jsonl&limit=${count}`))
    expect(part).toEqual(all.slice(0, count))
    const rest = linesOf(await exported(`format=jsonl&cursor=${part.at(-1)?.cursor}`))
    expect([...part, ...rest]).toEqual(all)
  }
})

test('CSV has the same columns', async () => {
  const [head = ''] = (await exported('format=csv')).split('\r\n')
  expect(head.split(',')).toEqual(Object.keys(linesOf(await exported('format=jsonl'))[0] ?? {}))
})
