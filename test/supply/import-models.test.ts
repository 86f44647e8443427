import { afterAll, beforeAll, expect, test } from 'bun:test'
import { startTestGateway, type TestGateway } from '../support/test-gateway.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway()
  const { base_url } = await gateway.operator<{ base_url: string }>('GET', '/suppliers/sandbox-openai')
  // A supplier of this id is the vendor of the catalog.
  await gateway.operator('PUT', '/suppliers/openai', {
    type: 'openai',
    base_url: `${base_url}/v1`,
    formats: ['chat-completion'],
  })
  await gateway.operator('POST', '/suppliers/openai/credentials', { secret: 'sk-sandbox', label: 'main' })
})
afterAll(() => gateway.stop())

interface Imported {
  readonly dry_run: boolean
  readonly models: readonly {
    model: string
    is_new: boolean
    price: { input: string } | null
    cost: unknown
  }[]
}

const add = (body: object) => gateway.operator<Imported>('POST', '/suppliers/openai/import', body)
const routesOf = async () =>
  (await gateway.operator<{ data: Record<string, unknown>[] }>('GET', '/routes?limit=200')).data.filter(
    ({ supplier }) => supplier === 'openai',
  )

test('lists what a supplier offers, and what of it is routed', async () => {
  const { data } = await gateway.operator<{ data: { name: string; routed: boolean }[] }>(
    'GET',
    '/suppliers/openai/offers',
  )
  expect(data.find(({ name }) => name === 'sandbox-chat')).toMatchObject({ routed: false, price: null })
})

test('a preview adds nothing; the import adds models with price and cost', async () => {
  const wanted = { models: ['gpt-5', 'sandbox-chat', 'gpt-5'], markup_percent: 20 }
  const preview = await add({ ...wanted, dry_run: true })
  expect(preview.models.map(({ model, is_new }) => [model, is_new])).toEqual([
    ['gpt-5', true],
    ['sandbox-chat', true],
  ])
  expect(await routesOf()).toEqual([])
  const { models } = await add(wanted)
  expect(models).toEqual(preview.models)
  const routes = await routesOf()
  expect(routes).toMatchObject([
    { model: 'gpt-5', price: { input: '1.5' }, cost: { input: '1.25' }, price_source: 'manual' },
    { model: 'sandbox-chat', price: null },
  ])
})

test('what is there stays as it is, and prices without a mark-up follow the catalog', async () => {
  const { models } = await add({ models: ['gpt-5', 'gpt-5-mini'] })
  expect(models.map(({ is_new }) => is_new)).toEqual([false, true])
  expect(await routesOf()).toMatchObject([
    { model: 'gpt-5', price: { input: '1.5' } },
    { model: 'gpt-5-mini', cost: null, price_source: 'catalog' },
    { model: 'sandbox-chat' },
  ])
})

test('a name that no model can have adds nothing at all', async () => {
  await expect(add({ models: ['gpt-5-nano', 'no spaces'] })).rejects.toThrow('model id')
  expect(await routesOf()).toHaveLength(3)
})
