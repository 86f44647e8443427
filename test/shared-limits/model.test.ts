import { afterAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { findRedis } from '../../scripts/tests/redis.ts'
import { ModelHub } from '../../src/edges/windows/testing/model-limits.ts'
import { createMovableClock } from '../support/movable-clock.ts'
import { LIMITS_NODES, randomSteps } from './support/random-steps.ts'
import { GENERATION, loadAccount, openConnectedLimits, uniquePrefix } from './support/redis-limits.ts'

const redis = await findRedis()
afterAll(() => redis?.stop())

describe.skipIf(redis === null)('a limits store in Redis', () => {
  test('behaves like the model', async () => {
    const startMs = createMovableClock().nowMs()
    await fc.assert(
      fc.asyncProperty(randomSteps(startMs), async (sequence) => {
        const clock = createMovableClock()
        const hub = new ModelHub(clock)
        const models = { 'node-1': hub.limitsForNode('node-1'), 'node-2': hub.limitsForNode('node-2') }
        const prefix = uniquePrefix()
        const url = redis?.url ?? ''
        const [first, second] = await Promise.all(
          LIMITS_NODES.map((nodeId) => openConnectedLimits(url, { nodeId, prefix, clock })),
        )
        if (first === undefined || second === undefined) throw new Error('both limits stores must be open')
        const nodeLimits = { 'node-1': first, 'node-2': second }
        try {
          await first.beginGeneration(GENERATION)
          await models['node-1'].beginGeneration(GENERATION)
          for (const at of [first, models['node-1']]) await loadAccount(at, 'account-1', 2n ** 60n)
          for (const step of sequence) {
            // The time must not pass twice.
            const still = { ...clock, advance: () => {} }
            expect(await step(nodeLimits, still)).toEqual(await step(models, clock))
          }
        } finally {
          await Promise.all([first.close(), second.close()])
        }
      }),
      { numRuns: 150 },
    )
  })
})
