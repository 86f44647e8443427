import { afterEach, beforeEach, expect, test } from 'bun:test'
import { chat, refusalOf } from '../support/chat.ts'
import { startTwoSuppliers, type TwoSuppliers } from '../support/two-suppliers.ts'

let suppliers: TwoSuppliers
beforeEach(async () => {
  suppliers = await startTwoSuppliers({ environment: { TURNPIKE_REQUEST_DEADLINE_SECONDS: '1' } })
})
afterEach(() => suppliers.stop())

const ask = () => chat(suppliers.gateway.url, { model: 'pair' }, { key: suppliers.key })

interface RouteRow {
  readonly model: string
  readonly supplier: string
  readonly credentials: readonly { readonly success_rate: number }[]
}

async function successRates(): Promise<Record<string, number | undefined>> {
  const { data } = await suppliers.gateway.operator<{ data: RouteRow[] }>('GET', '/routes?limit=100')
  const ofPair = data.filter(({ model }) => model === 'pair')
  return Object.fromEntries(
    ofPair.map(({ supplier, credentials }) => [supplier, credentials[0]?.success_rate]),
  )
}

test('the supplier that uses up the request’s time is blamed, and no other one is tried', async () => {
  suppliers.first.faults.set({ fault: { type: 'hang' } })
  expect(await refusalOf(await ask())).toEqual([504, 'provider_timeout'])
  expect(suppliers.second.calls.at(-1)).toBeUndefined()
  const { first, second } = await successRates()
  expect(first).toBeLessThan(1)
  expect(second).toBe(1)
})

test('a supplier with too little time left is not blamed', async () => {
  // It takes most of the time, so that too little of it is left for the second.
  suppliers.first.faults.set({ fault: { type: 'latency', beforeFirstByteMs: 700 } })
  await suppliers.gateway.operator('PUT', '/suppliers/first', {
    type: 'openai-compatible',
    base_url: `${suppliers.first.url}/v1`,
    formats: ['chat-completion'],
    timeouts: { first_byte_seconds: 0.6 },
  })
  suppliers.second.faults.set({ fault: { type: 'hang' } })
  expect(await refusalOf(await ask())).toEqual([504, 'provider_timeout'])
  expect(suppliers.second.calls.at(-1)).toBeDefined()
  const { first, second } = await successRates()
  expect(first).toBeLessThan(1)
  expect(second).toBe(1)
})
