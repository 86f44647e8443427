import { expect, test } from 'bun:test'
import { listLedger } from '../../src/edges/storage/tables/money/ledger.ts'
import { openAt, testedEngines } from '../../src/edges/storage/testing/engines.ts'
import { anAccount, aSettlement } from '../../src/vocabulary/testing/specimens.ts'

const event = (id: string) => ({
  id,
  atMs: 1,
  actor: 'a',
  action: 'a.b',
  subject: 's',
  before: null,
  after: null,
})

for (const engine of testedEngines()) {
  test(`pages of the ledger hold every entry once, newest first, on ${engine.name}`, async () => {
    const site = await engine.makeSite()
    const storage = await openAt(site)
    const database = await site.openDatabase()
    try {
      await storage.saveAccount(anAccount(), event('e0'))
      for (const index of [1, 2, 3]) {
        const payment = {
          id: `pay_${index}`,
          accountId: 'acc_1',
          amountNano: 5n,
          reference: `r${index}`,
          note: null,
        }
        await storage.recordPayment({ ...payment, atMs: index * 10 }, event(`e${index}`))
      }
      // Some end at the very moments of the payments.
      await storage.writeSettlements(
        Array.from({ length: 7 }, (_, index) =>
          aSettlement({ requestId: `req_${index}`, startedAtMs: index * 5, durationMs: 5 }),
        ),
      )
      await database.rows(
        `insert into carried_settlements (account_id, key_id, day, settlements, amount_nano, at_ms)
        values ('acc_1', 'key_1', 0, 4, 12, 20)`,
        [],
      )
      const whole = await database.rows<{ id: string }>(
        `select id from ledger_entries where account_id = 'acc_1' order by at_ms desc, id desc`,
        [],
      )
      const paged: string[] = []
      let cursor: string | null = null
      do {
        const page: Awaited<ReturnType<typeof listLedger>> = await listLedger(database, 'acc_1', {
          limit: 3,
          cursor,
        })
        paged.push(...page.data.map(({ id }) => id))
        cursor = page.nextCursor
      } while (cursor !== null)
      expect(paged).toHaveLength(11)
      expect(paged).toEqual(whole.map(({ id }) => id))
    } finally {
      await database.close()
      await storage.close()
      await site.remove()
    }
  })
}
