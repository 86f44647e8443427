import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Storage } from '../../../../manage/ports/storage.ts'
import type { Settlement } from '../../../../vocabulary/settlement.ts'
import { FORMATS, OUTCOMES } from '../../../../vocabulary/words.ts'
import { openAt, type Site, testedEngines } from '../../testing/engines.ts'
import { ROUTE, settlement } from '../../testing/samples.ts'
import { encodeKind, encodeRare, groupByKind, isOrdinary } from './settlement-rows.ts'

// A price that was read from a file is the same one, but another object.
const PRICES = [
  ROUTE.price,
  ROUTE.price && { ...ROUTE.price },
  ROUTE.price && { ...ROUTE.price, imageNano: 1n },
  null,
]

const USED = settlement({}).usage

const anyKind: fc.Arbitrary<Partial<Settlement>> = fc.record({
  accountId: fc.constantFrom('acc_1', 'acc_2'),
  keyId: fc.constantFrom('key_1', 'key_2'),
  model: fc.constantFrom('gpt-5', 'claude'),
  supplier: fc.constantFrom('acme', null),
  credentialId: fc.constantFrom('cred_1', null),
  clientFormat: fc.constantFrom(...FORMATS),
  supplierFormat: fc.constantFrom(...FORMATS, null),
  stream: fc.boolean(),
  provenance: fc.constantFrom('supplier', 'counted', 'estimated'),
  price: fc.constantFrom(...PRICES),
  costRates: fc.constantFrom(...PRICES),
  costNano: fc.constantFrom(1000n, 900n),
  markupBasisPoints: fc.constantFrom(null, 0, -500),
  notes: fc.constantFrom([], ['cut_by_balance', 'abort_charged']),
  usage: fc.constantFrom(USED, { ...USED, details: { cacheWrite1h: 1, serviceTier: 'flex' } }),
  session: fc.constantFrom(null, 'session-1', 'session-2'),
  agent: fc.constantFrom(null, 'reviewer'),
  parentAgent: fc.constantFrom(null, 'planner'),
  outcome: fc.constantFrom(...OUTCOMES),
})

/** Some of them differ in one thing only. */
const anyBatch = fc
  .tuple(anyKind, fc.array(fc.tuple(anyKind, fc.constantFrom(...Object.keys(settlement({}))))))
  .map(([common, changes]) =>
    changes.map(([kind, field], index) => {
      const change = field in kind ? { [field]: kind[field as keyof Settlement] } : {}
      return settlement({ ...common, ...change, requestId: `req_${index}`, durationMs: index })
    }),
  )

const nameOf = (one: Settlement) => JSON.stringify([isOrdinary(one), encodeKind(one)])

test('groups settlements by kind and keeps their order', () => {
  fc.assert(
    fc.property(anyBatch, (batch) => {
      const expected = Map.groupBy(batch, nameOf)
      expect(groupByKind(batch)).toEqual([...expected.values()])
    }),
  )
})

test('the rare columns of an ordinary settlement, and only of one, are all null', () => {
  fc.assert(
    fc.property(anyKind, (kind) => {
      const one = settlement(kind)
      expect(encodeRare(one).every((value) => value === null)).toBe(isOrdinary(one))
    }),
  )
})

for (const engine of testedEngines()) {
  describe(`settlements of many kinds on ${engine.name}`, () => {
    let site: Site
    let storage: Storage

    beforeAll(async () => {
      site = await engine.makeSite()
      storage = await openAt(site)
    })
    afterAll(async () => {
      await storage.close()
      await site.remove()
    })

    test('are read back unchanged and charged in full', async () => {
      const kinds = fc.sample(anyKind, { numRuns: 40, seed: 7 })
      const batch = Array.from({ length: 600 }, (_, index) =>
        settlement({ ...kinds[(index * index) % 40], requestId: `req_${index}`, durationMs: index }),
      )
      await storage.writeSettlements(batch)
      for (const one of batch) expect(await storage.findSettlement(one.requestId)).toEqual(one)
      const spent = Map.groupBy(batch, ({ accountId }) => accountId)
      expect(await storage.loadBalances()).toEqual(
        new Map([...spent].map(([id, own]) => [id, own.reduce((sum, one) => sum - one.amountNano, 0n)])),
      )
    })
  })
}
