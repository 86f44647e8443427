import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { SUPPLIER_TYPES_SERVED } from '../../src/suppliers/index.ts'
import type { SupplierTypeName } from '../../src/vocabulary/supply.ts'
import { REPORT_PATH, replaceFamilies, writeTable } from '../conformance/report.ts'
import { createLoneKey } from '../support/accounts.ts'
import { onlySettlementOf } from '../support/settlements.ts'
import { FAMILY_DRIVERS } from './drivers/index.ts'
import type { FamilyDriver, FamilySupplier } from './family-driver.ts'
import { type FamilyStage, openFamilyStage } from './family-stage.ts'

// Every family with every supplier that its driver lists; the results are written into docs/clients/conformance.md.

let stage: FamilyStage
beforeAll(async () => {
  stage = await openFamilyStage()
})
afterAll(() => stage.stop())

/** Drivers may share a list of suppliers. */
const passed = new Map(FAMILY_DRIVERS.map((driver) => [driver, new Set<FamilySupplier>()]))
let cells = 0

for (const driver of FAMILY_DRIVERS) {
  describe(driver.name, () => {
    for (const supplier of driver.suppliers) {
      test(`through ${supplier.type}, ${supplier.format}`, async () => {
        const id = `cell-${++cells}`
        await stage.addSupplier(id, supplier)
        await stage.addModel(id, driver, [id])
        const key = await createLoneKey(stage.gateway)
        const response = await stage.send(driver.request({ model: id }), { key: key.secret })
        expect([response.status, response.headers.get('x-gateway-route')]).toEqual([200, id])
        await driver.check(response)
        expect(await onlySettlementOf(stage.gateway, key.id)).toMatchObject({
          outcome: 'completed',
          supplier: id,
          supplier_format: supplier.format,
        })
        passed.get(driver)?.add(supplier)
      })
    }
  })
}

test('docs/clients/conformance.md matches these results', async () => {
  const present = await Bun.file(REPORT_PATH).text()
  const report = replaceFamilies(present, writeFamilies())
  if (process.env.UPDATE_CONFORMANCE === '1') await Bun.write(REPORT_PATH, report)
  else expect(present).toBe(report)
})

function writeFamilies(): readonly string[] {
  const listed = new Set(FAMILY_DRIVERS.flatMap(({ suppliers }) => suppliers.map(({ type }) => type)))
  const types = SUPPLIER_TYPES_SERVED.map(({ name }) => name).filter((name) => listed.has(name))
  const rows = FAMILY_DRIVERS.map((driver) => [
    `${driver.name}: \`POST ${driver.request().path}\``,
    ...types.map((type) => writeCell(driver, type)),
  ])
  return [
    '',
    '## Families',
    '',
    'Each cell names the formats in which the gateway served the family through a supplier of this type, at the address',
    'of the sandbox. Every one was answered correctly and settled once. An empty cell: the type has no such endpoint, or',
    'the sandbox does not play it.',
    '',
    ...writeTable(['Family', ...types], rows),
    '',
  ]
}

function writeCell(driver: FamilyDriver, type: SupplierTypeName): string {
  const own = driver.suppliers.filter((supplier) => supplier.type === type)
  return own.map((supplier) => (passed.get(driver)?.has(supplier) ? supplier.format : 'FAIL')).join(', ')
}
