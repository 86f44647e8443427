import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { modelOf, type Recording, readRecordings, replay } from '../captures/recordings.ts'
import { openUnlimitedKey } from '../support/two-suppliers.ts'
import { moderations } from './drivers/moderations.ts'
import { rerankV1, rerankV2 } from './drivers/rerank.ts'
import type { FamilyDriver } from './family-driver.ts'
import { type FamilyStage, openFamilyStage } from './family-stage.ts'

// Requests of families beside text, as official SDKs sent them, to every kind of supplier of the family.

interface Replayed {
  readonly driver: FamilyDriver
  /** How many results there are to be. */
  countOf(body: Readonly<Record<string, unknown>>): number
}

const count = (value: unknown) => (Array.isArray(value) ? value.length : 0)
const ranked: Replayed['countOf'] = ({ documents, top_n }) => Number(top_n ?? count(documents))

const BY_PATH: Readonly<Record<string, Replayed>> = {
  '/v1/rerank': { driver: rerankV1, countOf: ranked },
  '/v2/rerank': { driver: rerankV2, countOf: ranked },
  '/v1/moderations': {
    driver: moderations,
    // Parts are judged together.
    countOf: ({ input }) => (Array.isArray(input) && typeof input[0] === 'string' ? input.length : 1),
  },
}

const RECORDINGS = [...readRecordings('rerank'), ...readRecordings('moderations')]

let stage: FamilyStage
beforeAll(async () => {
  stage = await openFamilyStage()
})
afterAll(() => stage.stop())

function replayed({ url }: Recording): Replayed {
  const found = BY_PATH[url]
  if (found === undefined) throw new Error(`unknown recorded request: ${url}`)
  return found
}

let places = 0

for (const recording of RECORDINGS) {
  const { driver, countOf } = replayed(recording)
  describe(`${recording.client} ${recording.number}: POST ${recording.url}`, () => {
    test.each(driver.suppliers.map((supplier) => [supplier.type, supplier.format, supplier] as const))(
      'to %s, %s',
      async (_type, _format, supplier) => {
        const id = `replayed-${++places}`
        await stage.addSupplier(id, supplier)
        await stage.addModel(modelOf(recording) ?? 'omni-moderation-latest', driver, [id])
        const policy = { route_policy: { mode: 'specified_provider', provider: id } }
        const chosen = await openUnlimitedKey(stage.gateway)
        await stage.gateway.operator('PATCH', `/keys/${chosen.id}`, policy)
        const response = await replay(recording, { url: stage.gateway.url, key: chosen.secret })
        expect([response.status, response.headers.get('x-gateway-route')]).toEqual([200, id])
        const { results } = (await response.json()) as { results: unknown }
        expect(count(results)).toBe(countOf(recording.body ?? {}))
      },
    )
  })
}
