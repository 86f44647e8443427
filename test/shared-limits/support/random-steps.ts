import fc from 'fast-check'
import type { SharedLimits } from '../../../src/serve/ports/shared-limits.ts'
import { USAGE_PERIODS } from '../../../src/vocabulary/api-key.ts'
import type { MovableClock } from '../../support/movable-clock.ts'
import { GENERATION } from './redis-limits.ts'

export const LIMITS_NODES = ['node-1', 'node-2'] as const
const DAY_MS = 86_400_000

const node = fc.constantFrom(...LIMITS_NODES)
const accountId = fc.constantFrom('account-1', 'account-2')
const keyId = fc.constantFrom('key-1', 'key-2')
const generation = fc.oneof({ weight: 20, arbitrary: fc.constant(GENERATION) }, fc.constant('another'))
// The key of a request never changes, so it is part of its name.
const request = fc.record({ number: fc.integer({ min: 1, max: 6 }), keyId })
const requestIdOf = ({ number, keyId: key }: { number: number; keyId: string }) => `${key}-${number}`

const DOUBLE_LIMIT = 2n ** 53n
const INTEGER_LIMIT = 2n ** 62n

/** Amounts around those at which a store may lose precision; `most` is at least twice what a double holds. */
const amountsUpTo = (most: bigint) =>
  fc.oneof(
    fc.bigInt(0n, 20n),
    fc.bigInt(DOUBLE_LIMIT - 3n, DOUBLE_LIMIT + 3n),
    fc.bigInt(most - 3n, most + 3n),
    fc.bigInt(999_999_998n, 1_000_000_002n),
  )

const window = fc.record({
  id: fc.constantFrom('account:a:requests', 'account:a:tokens', 'key:k:requests'),
  metric: fc.constant('requests' as const),
  limit: fc.integer({ min: 0, max: 30 }),
  amount: fc.integer({ min: 0, max: 3 }),
})
const windows = fc.uniqueArray(window, { selector: ({ id }) => id, maxLength: 3 })

export type Step = (
  nodeLimits: Record<(typeof LIMITS_NODES)[number], SharedLimits>,
  clock: MovableClock,
) => Promise<unknown>

/** Random calls of two nodes, to compare two limits stores. */
export function randomSteps(startMs: number, most = INTEGER_LIMIT): fc.Arbitrary<Step[]> {
  const day = Math.floor(startMs / DAY_MS)
  const amount = amountsUpTo(most)
  const balance = fc.oneof(
    amount,
    amount.map((nano) => -nano),
  )

  // Days around the one the clock stands on, so that totals are of this period, an earlier or a later one.
  const total = fc.record({ startDay: fc.integer({ min: day - 40, max: day + 1 }), spentNano: amount })

  const bounds = {
    creditLineNano: fc.option(amount),
    usageLimit: fc.option(fc.record({ period: fc.constantFrom(...USAGE_PERIODS), amountNano: amount })),
  }

  const admit = fc
    .record({
      at: node,
      accountId,
      request,
      generation,
      configurationVersion: fc.oneof({ weight: 10, arbitrary: fc.constant(3) }, fc.constant(2)),
      windows,
      amountNano: amount,
      leastNano: fc.option(amount, { nil: undefined }),
      ...bounds,
      conversation: fc.option(fc.constantFrom('talk-1', 'talk-2')),
    })
    .map(({ at, request: asked, amountNano, leastNano, creditLineNano, usageLimit, ...call }): Step => {
      return async (nodeLimits) =>
        nodeLimits[at].admit({
          ...call,
          requestId: requestIdOf(asked),
          keyId: asked.keyId,
          hold: {
            amountNano,
            ...(leastNano === undefined ? {} : { leastNano }),
            creditLineNano,
            usageLimit,
          },
        })
    })

  const grow = fc
    .record({ at: node, accountId, request, generation, amountNano: amount, ...bounds })
    .map(({ at, request: asked, ...call }): Step => {
      return (nodeLimits) =>
        nodeLimits[at].grow({ ...call, requestId: requestIdOf(asked), keyId: asked.keyId })
    })

  const openHolds = fc.uniqueArray(fc.record({ request, amountNano: amount }), {
    selector: (hold) => requestIdOf(hold.request),
    maxLength: 4,
  })
  const toHolds = (holds: readonly { request: { number: number; keyId: string }; amountNano: bigint }[]) =>
    holds.map((hold) => ({
      requestId: requestIdOf(hold.request),
      keyId: hold.request.keyId,
      amountNano: hold.amountNano,
    }))

  const settle = fc.record({ at: node, accountId, holds: openHolds }).map(
    ({ at, accountId: id, holds }): Step =>
      (nodeLimits) =>
        nodeLimits[at].settle(id, toHolds(holds)),
  )

  const assertHolds = fc
    .record({ at: node, accountId, holds: openHolds, unsure: fc.array(request, { maxLength: 2 }) })
    .map(({ at, accountId: id, holds, unsure }): Step => {
      return (nodeLimits) => nodeLimits[at].assertHolds(id, toHolds(holds), unsure.map(requestIdOf))
    })

  const addHolds = fc.record({ at: node, accountId, holds: openHolds }).map(
    ({ at, accountId: id, holds }): Step =>
      (nodeLimits) =>
        nodeLimits[at].addHolds(id, toHolds(holds)),
  )

  const learn = fc
    .record({
      at: node,
      accountId,
      generation,
      stored: fc.array(request, { maxLength: 3 }),
      balance: fc.option(fc.record({ balanceNano: balance, version: fc.oneof(fc.bigInt(0n, 5n), amount) })),
      keys: fc.uniqueArray(
        fc.record({
          keyId,
          totals: fc.record({
            daily: total,
            weekly: total,
            monthly: total,
            forever: amount.map((spentNano) => ({ startDay: 0, spentNano })),
          }),
        }),
        { selector: ({ keyId: key }) => key, maxLength: 2 },
      ),
      isLoad: fc.boolean(),
    })
    .map(({ at, accountId: id, stored, ...news }): Step => {
      return (nodeLimits) => nodeLimits[at].learn(id, { ...news, stored: stored.map(requestIdOf) })
    })

  const owner = fc.option(accountId)
  const capacity = fc.record({ at: node, owner, options: fc.array(windows, { maxLength: 3 }) }).map(
    ({ at, owner: id, options }): Step =>
      (nodeLimits) =>
        nodeLimits[at].takeCapacity(id, options),
  )
  const look = fc.record({ at: node, owner, windows }).map(
    ({ at, owner: id, windows: looked }): Step =>
      (nodeLimits) =>
        nodeLimits[at].look(id, looked),
  )

  const release = fc.record({ at: node, gone: node }).map(({ at, gone }): Step => {
    return (nodeLimits) => nodeLimits[at].releaseNode(gone)
  })
  const pass = fc
    .oneof(
      fc.integer({ min: 1, max: 70_000 }),
      fc.integer({ min: 1, max: 20 }).map((days) => days * DAY_MS),
    )
    .map(
      (ms): Step =>
        async (_limits, clock) =>
          clock.advance(ms),
    )
  const announce = fc.record({ at: node, version: fc.integer({ min: 1, max: 3 }) }).map(
    ({ at, version }): Step =>
      (nodeLimits) =>
        nodeLimits[at].announceConfiguration(version),
  )
  const version = node.map(
    (at): Step =>
      (nodeLimits) =>
        nodeLimits[at].configurationVersion(),
  )
  const begin = fc.record({ at: node, proposed: fc.constantFrom('another', 'a third') }).map(
    ({ at, proposed }): Step =>
      (nodeLimits) =>
        nodeLimits[at].beginGeneration(proposed),
  )
  const pin = fc
    .record({ at: node, accountId, conversation: fc.constantFrom('talk-1', 'talk-2'), credentialId: keyId })
    .map(({ at, ...where }): Step => {
      return (nodeLimits) => nodeLimits[at].savePin({ ...where, supplierId: 'supplier', keptMs: 10 ** 10 })
    })

  return fc.array(
    fc.oneof(
      { weight: 8, arbitrary: admit },
      { weight: 4, arbitrary: grow },
      { weight: 4, arbitrary: learn },
      { weight: 2, arbitrary: settle },
      { weight: 2, arbitrary: capacity },
      assertHolds,
      addHolds,
      look,
      release,
      pass,
      announce,
      version,
      begin,
      pin,
    ),
    { minLength: 20, maxLength: 60, size: 'max' },
  )
}
