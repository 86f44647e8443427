import { afterEach, beforeEach, expect, test } from 'bun:test'
import { startVertexServer } from '../suppliers/support/vertex-server.ts'
import { chat } from '../support/chat.ts'
import { realClock } from '../support/movable-clock.ts'
import { TEST_PRICE } from '../support/supply.ts'
import { startTwoSuppliers, type TwoSuppliers } from '../support/two-suppliers.ts'

let suppliers: TwoSuppliers
beforeEach(async () => {
  suppliers = await startTwoSuppliers()
  await suppliers.gateway.operator('PUT', '/models/pair', {
    owned_by: 'tests',
    output_token_limit: 4096,
    capabilities: { hedgeAfterMs: 30 },
  })
})
afterEach(() => suppliers.stop())

const ask = (fields: object = {}) =>
  chat(suppliers.gateway.url, { model: 'pair', ...fields }, { key: suppliers.key })

test('a slow supplier is overtaken by a second one, and only one is charged', async () => {
  suppliers.first.faults.set({ fault: { type: 'hang' } })
  const response = await ask()
  expect([response.status, response.headers.get('x-gateway-route')]).toEqual([200, 'second'])
  expect(await response.text()).toContain('pong')
  const id = response.headers.get('x-request-id') ?? ''
  const settlement = await suppliers.gateway.operator<Record<string, unknown>>('GET', `/settlements/${id}`)
  expect(settlement).toMatchObject({
    supplier: 'second',
    outcome: 'completed',
    attempts: [
      { supplier: 'second', reason: 'hedge', result: 'answered', status: 200 },
      { supplier: 'first', result: 'overtaken', status: null, first_byte_ms: null },
    ],
  })
})

test('a fast supplier is not hedged', async () => {
  expect((await ask()).headers.get('x-gateway-route')).toBe('first')
  expect(suppliers.second.calls.at(-1)).toBeUndefined()
})

test('streams are not hedged', async () => {
  suppliers.first.faults.set({ fault: { type: 'latency', beforeFirstByteMs: 100 } })
  const response = await ask({ stream: true })
  expect(response.headers.get('x-gateway-route')).toBe('first')
  await response.text()
  expect(suppliers.second.calls.at(-1)).toBeUndefined()
})

test('when the second supplier fails, waits for the first', async () => {
  suppliers.first.faults.set({ fault: { type: 'latency', beforeFirstByteMs: 150 } })
  suppliers.second.faults.set({ fault: { type: 'status', status: 500 } })
  const response = await ask()
  expect([response.status, response.headers.get('x-gateway-route')]).toEqual([200, 'first'])
})

test('a supplier overtaken while it waits for a token makes no call', async () => {
  const { gateway, first } = suppliers
  const vertex = startVertexServer(realClock, first.url)
  try {
    await gateway.operator('PUT', '/suppliers/cloud', {
      type: 'vertex',
      base_url: vertex.url,
      formats: ['messages'],
      options: { location: 'us-east5', token_uri: vertex.tokenUri },
    })
    await gateway.operator('POST', '/suppliers/cloud/credentials', { secret: vertex.secret })
    const route = { upstream_model: 'sandbox-chat', price: TEST_PRICE, priority: 0 }
    await gateway.operator('PUT', '/models/pair/routes/cloud', route)
    const tokens = Promise.withResolvers<void>()
    vertex.holdTokens(tokens.promise)
    expect((await ask()).headers.get('x-gateway-route')).toBe('first')
    tokens.resolve()
    await gateway.operator('PUT', '/models/pair', { owned_by: 'tests', output_token_limit: 4096 })
    expect((await ask()).headers.get('x-gateway-route')).toBe('cloud')
    expect(vertex.calls).toHaveLength(1)
  } finally {
    await vertex.stop()
  }
})
