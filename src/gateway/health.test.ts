import { describe, expect, test } from 'bun:test'
import { type HealthParts, healthEndpoints } from './health.ts'
import type { Exchange } from './ports/exchange.ts'

async function askAll(parts: Partial<HealthParts>): Promise<Record<string, number>> {
  const statuses: Record<string, number> = {}
  const endpoints = healthEndpoints({
    storage: { ping: () => Promise.resolve() },
    isClosing: () => false,
    ...parts,
  })
  for (const { path, handle } of endpoints) statuses[path] = (await handle({} as Exchange)).status
  return statuses
}

describe('health', () => {
  test('a gateway that can serve is healthy and ready', async () => {
    expect(await askAll({})).toEqual({ '/healthz': 200, '/readyz': 200 })
  })

  test('without its database it lives but is not ready', async () => {
    const storage = { ping: () => Promise.reject(new Error('away')) }
    expect(await askAll({ storage })).toEqual({ '/healthz': 200, '/readyz': 503 })
  })

  test('shutting down it lives but is not ready', async () => {
    expect(await askAll({ isClosing: () => true })).toEqual({ '/healthz': 200, '/readyz': 503 })
  })
})
