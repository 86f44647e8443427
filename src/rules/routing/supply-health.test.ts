import { expect, test } from 'bun:test'
import { aCredential } from '../../vocabulary/testing/specimens.ts'
import { USUAL_ROUTING } from './routing-settings.ts'
import { SupplyHealth } from './supply-health.ts'

test('clients that make up names of models cannot fill the memory', () => {
  const parts = { settings: USUAL_ROUTING, random: () => 0.5 }
  const health = new SupplyHealth(parts)
  const credential = aCredential()
  const of = (modelId: string) => health.ofModel('sup_1', credential, { modelId, nowMs: 0 })
  const first = of('model-0')
  for (let number = 1; number < 20_000; number += 1) of(`model-${number}`)
  expect(health.size).toBe(10_000)
  expect(of('model-0')).toBe(first)
})
