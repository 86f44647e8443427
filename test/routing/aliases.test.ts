import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { parseUsdt } from '../../src/vocabulary/money.ts'
import { createKey, type KeyFields, openAccount } from '../support/accounts.ts'
import { chat, readError, refusalOf } from '../support/chat.ts'
import { type SettlementBody, settlementsOf } from '../support/settlements.ts'
import { startTwoSuppliers, type TwoSuppliers } from '../support/two-suppliers.ts'

let suppliers: TwoSuppliers
let account: string

const PRICES = {
  cheap: { input: '1', output: '2' },
  dear: { input: '10', output: '20' },
} as const

beforeAll(async () => {
  suppliers = await startTwoSuppliers()
  const { gateway } = suppliers
  for (const [model, supplier] of [
    ['cheap', 'first'],
    ['dear', 'second'],
  ] as const) {
    await gateway.operator('PUT', `/models/${model}`, { owned_by: 'tests' })
    const route = { upstream_model: 'sandbox-chat', price: PRICES[model] }
    await gateway.operator('PUT', `/models/${model}/routes/${supplier}`, route)
  }
  await put('aliases/best', { name: 'best', models: ['cheap', 'dear'] })
  await put('aliases/fast', { name: 'fast', models: ['cheap'] })
  account = await openAccount(gateway)
  await put('aliases/fast-own', { name: 'fast', models: ['dear'], account_id: account })
})
afterAll(() => suppliers.stop())
afterEach(() => {
  suppliers.first.faults.clear()
  suppliers.second.faults.clear()
})

const put = (path: string, body: object) => suppliers.gateway.operator('PUT', `/${path}`, body)
const ask = (model: string, key: string, fields: object = {}) =>
  chat(suppliers.gateway.url, { model, ...fields }, { key })

/** Asks with a new key, and returns the answer with the settlement. */
async function settled(model: string, { fields = {}, key = {} }: { fields?: object; key?: KeyFields } = {}) {
  const { id, secret } = await createKey(suppliers.gateway, account, key)
  const response = await ask(model, secret, fields)
  const text = await response.text()
  const [settlement] = await settlementsOf(suppliers.gateway, id, 1)
  if (settlement === undefined) throw new Error('no settlement')
  return { response, text, settlement }
}

/** What the usage of a settlement costs at the price of a model, exactly. */
function costOf({ usage }: SettlementBody, model: keyof typeof PRICES): bigint {
  const { input, output } = PRICES[model]
  return (
    (BigInt(usage.input) * parseUsdt(input, 'input') + BigInt(usage.output) * parseUsdt(output, 'output')) /
    1_000_000n
  )
}

describe('an alias', () => {
  test('leads to its model, and that of the account comes before the general one', async () => {
    const { settlement } = await settled('fast')
    expect([settlement.model, settlement.supplier]).toEqual(['dear', 'second'])
    expect(parseUsdt(settlement.amount, 'amount')).toBe(costOf(settlement, 'dear'))
    const general = await ask('fast', suppliers.key)
    expect(general.headers.get('x-gateway-route')).toBe('first')
  })

  test('tries its models in order, and the one that answers is charged', async () => {
    const { settlement: usual } = await settled('best')
    expect([usual.model, parseUsdt(usual.amount, 'amount')]).toEqual(['cheap', costOf(usual, 'cheap')])
    expect(usual.attempts).toMatchObject([{ model: 'cheap', supplier: 'first', result: 'answered' }])

    suppliers.first.faults.set({ fault: { type: 'status', status: 500 } })
    const { settlement, response } = await settled('best')
    expect(response.status).toBe(200)
    expect([settlement.model, settlement.supplier]).toEqual(['dear', 'second'])
    expect(parseUsdt(settlement.amount, 'amount')).toBe(costOf(settlement, 'dear'))
    expect(parseUsdt(settlement.amount, 'amount')).toBeGreaterThan(0n)
    expect(settlement.attempts).toMatchObject([
      { model: 'cheap', supplier: 'first', result: 'failed' },
      { model: 'dear', supplier: 'second', result: 'answered' },
    ])
  })

  test('does so for streams until their first byte', async () => {
    suppliers.first.faults.set({ fault: { type: 'status', status: 503 } })
    const { settlement, text } = await settled('best', { fields: { stream: true } })
    expect(text).toContain('[DONE]')
    expect([settlement.model, parseUsdt(settlement.amount, 'amount')]).toEqual([
      'dear',
      costOf(settlement, 'dear'),
    ])
  })

  test('is refused like a model when all of its models fail', async () => {
    for (const supplier of [suppliers.first, suppliers.second])
      supplier.faults.set({ fault: { type: 'status', status: 500 } })
    const { settlement, response } = await settled('best')
    expect([response.status, settlement.outcome, settlement.amount]).toEqual([502, 'supplier_failed', '0'])
    expect(settlement.model).toBe('cheap')
  })

  test('does not try another model when the request itself is refused', async () => {
    suppliers.first.faults.set({ fault: { type: 'status', status: 400 } })
    const { settlement, response } = await settled('best')
    expect([response.status, settlement.attempts.length]).toEqual([400, 1])
  })

  test('goes on without a usable route of its first model', async () => {
    await put('models/cheap/routes/first', {
      upstream_model: 'sandbox-chat',
      price: PRICES.cheap,
      enabled: false,
    })
    const { settlement } = await settled('best')
    await put('models/cheap/routes/first', { upstream_model: 'sandbox-chat', price: PRICES.cheap })
    expect([settlement.model, settlement.attempts.length]).toEqual(['dear', 1])
  })

  test('holds for the dearest of its models', async () => {
    const { gateway } = suppliers
    // Enough for the cheap model, and too little for the dear one.
    const { secret } = await createKey(gateway, await openAccount(gateway, '0.001'))
    const fields = { max_tokens: 200 }
    const strict = { 'x-gateway-strict': 'true' }
    const send = (model: string) => chat(gateway.url, { model, ...fields }, { key: secret, headers: strict })
    expect((await send('cheap')).status).toBe(200)
    expect(await refusalOf(await send('best'))).toEqual([403, 'spending_limit_exceeded'])
  })

  test('is listed beside the models, and named in translated answers', async () => {
    const { gateway, key } = suppliers
    const headers = { authorization: `Bearer ${key}` }
    const { data } = (await (await fetch(`${gateway.url}/v1/models`, { headers })).json()) as {
      data: { id: string; owned_by: string }[]
    }
    const ids = data.map(({ id }) => id)
    expect(ids).toEqual(expect.arrayContaining(['best', 'cheap', 'dear', 'fast']))
    expect(ids).toEqual(ids.toSorted())
    const shown = await (await fetch(`${gateway.url}/v1/models/best`, { headers })).json()
    expect(shown).toMatchObject({ id: 'best', owned_by: 'tests', display_name: 'best' })
    const message = await fetch(`${gateway.url}/v1/messages`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json', 'anthropic-version': '2023-06-01' },
      body: JSON.stringify({ model: 'best', max_tokens: 9, messages: [{ role: 'user', content: 'hi' }] }),
    })
    expect(await message.json()).toMatchObject({ type: 'message', model: 'best' })
  })

  test('counts the tokens of its model', async () => {
    const response = await fetch(`${suppliers.gateway.url}/v1/messages/count_tokens`, {
      method: 'POST',
      headers: { authorization: `Bearer ${suppliers.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'best', messages: [{ role: 'user', content: 'hi' }] }),
    })
    expect(response.status).toBe(200)
  })
})

describe('the allowlist of a key', () => {
  const keyFor = async (...models: string[]) =>
    (await createKey(suppliers.gateway, account, { model_allowlist: models })).secret

  test('that has an alias allows what it leads to, under that name only', async () => {
    const key = await keyFor('best')
    expect((await ask('best', key)).status).toBe(200)
    for (const name of ['cheap', 'dear', 'fast'])
      expect(await refusalOf(await ask(name, key))).toEqual([404, 'model_not_found'])
  })

  test('that has a model does not allow its aliases', async () => {
    const key = await keyFor('cheap', 'dear')
    expect((await ask('cheap', key)).status).toBe(200)
    expect(await refusalOf(await ask('best', key))).toEqual([404, 'model_not_found'])
  })

  test('is not widened by the alias of another account', async () => {
    const other = await createKey(suppliers.gateway, await openAccount(suppliers.gateway), {
      model_allowlist: ['fast'],
    })
    expect((await ask('fast', other.secret)).headers.get('x-gateway-route')).not.toBe('second')
  })

  test('applies to names behind wildcards', async () => {
    await put('wildcards/wild', { pattern: 'wild-*', supplier: 'first', price: PRICES.cheap })
    const key = await keyFor('wild-sandbox*')
    expect(await refusalOf(await ask('wild-other', key))).toEqual([404, 'model_not_found'])
  })
})

describe('a wildcard', () => {
  test('leads to its supplier under another name, priced by itself where the catalog knows nothing', async () => {
    await put('wildcards/w', { pattern: 'w/*', supplier: 'second', upstream_model: '*', price: PRICES.dear })
    const { settlement, response } = await settled('w/sandbox-chat')
    expect(response.status).toBe(200)
    expect([settlement.model, settlement.supplier]).toEqual(['w/sandbox-chat', 'second'])
    expect(parseUsdt(settlement.amount, 'amount')).toBe(costOf(settlement, 'dear'))
  })

  test('without a price refuses names that the catalog does not price', async () => {
    await put('wildcards/u', { pattern: 'u/*', supplier: 'second', upstream_model: '*' })
    const refused = await ask('u/sandbox-chat', suppliers.key)
    const error = await readError(refused)
    expect([refused.status, error.code]).toEqual([404, 'model_not_found'])
    expect(error.message).toContain('has no price')
  })

  test('is not for names that a model has', async () => {
    await put('wildcards/all', { pattern: '*', supplier: 'second', price: PRICES.dear })
    const { settlement } = await settled('cheap')
    expect(settlement.supplier).toBe('first')
    await suppliers.gateway.operator('DELETE', '/wildcards/all')
  })

  test('can be behind an alias', async () => {
    await put('wildcards/any', {
      pattern: 'any/*',
      supplier: 'second',
      upstream_model: '*',
      price: PRICES.dear,
    })
    await put('aliases/wild', { name: 'wild', models: ['any/sandbox-chat'] })
    const { settlement } = await settled('wild')
    expect([settlement.model, settlement.supplier]).toEqual(['any/sandbox-chat', 'second'])
  })

  test('of a known vendor is priced by the catalog, and its models are listed', async () => {
    const { gateway, key } = suppliers
    const openai = { type: 'openai', base_url: 'https://api.openai.com/v1' }
    await put('suppliers/vendor', { ...openai, enabled: true })
    await put('wildcards/gpt', { pattern: 'gpt-*', supplier: 'vendor' })
    const response = await fetch(`${gateway.url}/v1/models`, { headers: { authorization: `Bearer ${key}` } })
    const { data } = (await response.json()) as { data: { id: string; owned_by: string }[] }
    expect(data.find(({ id }) => id === 'gpt-4o')).toMatchObject({ owned_by: 'openai' })
    expect(data.some(({ id }) => id.includes('*'))).toBe(false)
    await gateway.operator('DELETE', '/wildcards/gpt')
    await gateway.operator('DELETE', '/suppliers/vendor')
  })
})

describe('what leads somewhere', () => {
  test('cannot be deleted from under an alias or a wildcard', async () => {
    const { gateway } = suppliers
    await put('models/lonely', { owned_by: 'tests' })
    await put('aliases/lonely', { name: 'lone', models: ['lonely'] })
    await expect(gateway.operator('DELETE', '/models/lonely')).rejects.toThrow('alias')
    await gateway.operator('DELETE', '/aliases/lonely')
    await gateway.operator('DELETE', '/models/lonely')
  })

  test.each([
    ['aliases/x', { name: 'x', models: ['nothing'] }, 'no model'],
    ['aliases/x', { name: 'x*', models: ['cheap'] }, 'must not contain'],
    ['aliases/x', { name: 'best', models: ['cheap'] }, 'change that one'],
    ['aliases/x', { name: 'x', models: ['best'] }, 'cannot lead to an alias'],
    ['aliases/x', { name: 'x', models: ['cheap'], account_id: 'acc_0' }, 'no account'],
    ['wildcards/x', { pattern: 'x', supplier: 'first' }, 'followed by'],
    ['wildcards/x', { pattern: 'x*', supplier: 'nobody' }, 'no supplier'],
    ['wildcards/x', { pattern: 'x*', supplier: 'first', upstream_model: 'x' }, 'one *'],
  ])('is checked: %s %p', async (path, body, message) => {
    await expect(put(path, body)).rejects.toThrow(message)
  })
})
