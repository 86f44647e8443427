import { afterEach, beforeEach, expect, test } from 'bun:test'
import {
  makeDataFolder,
  removeDataFolder,
  startTestGateway,
  type TestGateway,
} from '../support/test-gateway.ts'
import { type AlertBody, auditOf } from './support.ts'

const ROUTE = '/models/draft/routes/sandbox-openai'
const PRICE = { input: '1', output: '2' }

let dataFolder: string
let gateway: TestGateway
beforeEach(async () => {
  dataFolder = makeDataFolder()
  gateway = await startTestGateway({ dataFolder })
  await gateway.operator('PUT', '/models/draft', { owned_by: 'tests' })
})
afterEach(async () => {
  await gateway.stop()
  removeDataFolder(dataFolder)
})

const put = (fields: object, path = ROUTE) =>
  gateway.operator('PUT', path, { upstream_model: 'sandbox-chat', ...fields })

async function alerts(): Promise<readonly AlertBody[]> {
  const { data } = await gateway.operator<{ data: readonly AlertBody[] }>('GET', '/alerts?limit=200')
  return data.filter(({ kind }) => kind === 'route.unpriced')
}

async function isListedUnpriced(): Promise<boolean | undefined> {
  type Listed = { readonly model: string; readonly unpriced?: true }
  const { data } = await gateway.operator<{ data: readonly Listed[] }>('GET', '/routes?limit=200')
  return data.find(({ model }) => model === 'draft')?.unpriced
}

test('a route without a price raises one alert, and another when its price is taken away again', async () => {
  await put({})
  expect(await alerts()).toMatchObject([
    { kind: 'route.unpriced', account_id: null, data: { model: 'draft', supplier: 'sandbox-openai' } },
  ])
  expect(await isListedUnpriced()).toBe(true)
  const subject = 'draft/routes/sandbox-openai'
  expect((await auditOf(gateway, subject)).map(({ action }) => action)).toEqual(['alert.unpriced_route'])
  await put({ priority: 2 })
  expect(await alerts()).toHaveLength(1)
  await put({ price: PRICE })
  expect(await alerts()).toHaveLength(1)
  expect(await isListedUnpriced()).toBeUndefined()
  await put({})
  expect(await alerts()).toHaveLength(2)
})

test('is not repeated by the next process, which knows when it has ended', async () => {
  await put({})
  expect(await alerts()).toHaveLength(1)
  await gateway.stop()
  gateway = await startTestGateway({ dataFolder })
  expect(await alerts()).toHaveLength(1)
  await put({ price: PRICE })
  await gateway.stop()
  gateway = await startTestGateway({ dataFolder })
  await put({})
  expect(await alerts()).toHaveLength(2)
})

test('needs a route that would be used: neither a disabled one, nor one to a disabled supplier', async () => {
  await put({ enabled: false })
  const supplier = { type: 'openai-compatible', base_url: 'http://127.0.0.1:9/v1', enabled: false }
  await gateway.operator('PUT', '/suppliers/off', supplier)
  await put({}, '/models/draft/routes/off')
  expect(await alerts()).toEqual([])
  await gateway.operator('PUT', '/suppliers/off', { ...supplier, enabled: true })
  expect(await alerts()).toMatchObject([{ data: { supplier: 'off' } }])
})

test("is not raised for an account's own supplier, which bills the account itself", async () => {
  const { id } = await gateway.operator<{ id: string }>('POST', '/accounts', { name: 'Owner' })
  await gateway.operator('PUT', '/suppliers/own', {
    type: 'openai-compatible',
    base_url: 'http://127.0.0.1:9/v1',
    source: 'byok',
    account_id: id,
  })
  await put({}, '/models/draft/routes/own')
  expect(await alerts()).toEqual([])
  expect(await isListedUnpriced()).toBeUndefined()
})
