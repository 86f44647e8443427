import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { Database } from '../../engines/database.ts'
import { MIGRATIONS, migrate } from '../../migrations.ts'
import { findBalanceDifference } from '../../testing/balance-difference.ts'
import { type Site, testedEngines } from '../../testing/engines.ts'
import { insertOldSettlement } from '../../testing/old-settlements.ts'
import { settlement, settlements } from '../../testing/samples.ts'
import { enterInLedger, listLedger } from './ledger.ts'
import { writeSettlements } from './settlements.ts'

const BEFORE_SETTLEMENTS_WERE_ENTRIES = 6
const AT_MS = 1_700_000_000_000
const charged = settlement({
  requestId: 'req_1',
  accountId: 'acc_1',
  amountNano: 7n,
  startedAtMs: AT_MS,
  durationMs: 40,
})
const free = settlement({ requestId: 'req_2', accountId: 'acc_1', amountNano: 0n, startedAtMs: AT_MS })
const chargedEntry = {
  kind: 'settlement',
  id: 'req_1',
  accountId: 'acc_1',
  amountNano: -7n,
  requestId: 'req_1',
  reference: null,
  note: null,
  atMs: AT_MS + 40,
} as const
const payment = {
  kind: 'payment',
  id: 'pay_1',
  accountId: 'acc_1',
  amountNano: 100n,
  requestId: null,
  reference: 'invoice 1',
  note: 'thanks',
  atMs: AT_MS + 20,
} as const

for (const engine of testedEngines()) {
  describe(`the ledger on ${engine.name}`, () => {
    let site: Site
    let database: Database
    beforeEach(async () => {
      site = await engine.makeSite()
      database = await site.openDatabase()
    })
    const end = async () => {
      await database.close()
      await site.remove()
    }
    afterEach(end)

    async function startOver(otherSite: Site) {
      await end()
      site = otherSite
      database = await site.openDatabase()
    }

    const entries = async (limit = 10) => (await listLedger(database, 'acc_1', { limit, cursor: null })).data

    test('has an entry for each settlement with a cost, among the posted ones', async () => {
      await migrate(database, MIGRATIONS)
      await enterInLedger(database, [payment])
      await writeSettlements(database, [charged, free])
      expect(await entries()).toEqual([chargedEntry, payment])
      expect(await findBalanceDifference(database)).toBeNull()
    })

    test('keeps every entry and balance of a database from before settlements were entries', async () => {
      await startOver(await engine.makeEmptySite())
      await migrate(database, MIGRATIONS.slice(0, BEFORE_SETTLEMENTS_WERE_ENTRIES))
      for (const one of [charged, free]) await insertOldSettlement(database, one)
      for (const one of [chargedEntry, payment])
        await insert('ledger_entries', ENTRY_COLUMNS, encodeEntry(one))
      await insert(
        'account_balances',
        ['account_id', 'balance_nano', 'total_paid_nano'],
        ['acc_1', 93n, 100n],
      )
      await migrate(database, MIGRATIONS)
      expect(await entries()).toEqual([chargedEntry, payment])
      expect(await findBalanceDifference(database)).toBeNull()
      await writeSettlements(database, [charged])
      expect(await entries()).toHaveLength(2)
    })

    test('refuses to post a settlement as an entry', async () => {
      await migrate(database, MIGRATIONS)
      await expect(enterInLedger(database, [chargedEntry])).rejects.toThrow()
    })

    test('is read page by page, even when many entries have the same time', async () => {
      await migrate(database, MIGRATIONS)
      const many = settlements(25, { accountId: 'acc_1', amountNano: 1n, startedAtMs: AT_MS, durationMs: 1 })
      await writeSettlements(database, many)
      await enterInLedger(database, [payment])
      const ids: string[] = []
      for (let cursor: string | null = null, isLast = false; !isLast; isLast = cursor === null) {
        const page: Awaited<ReturnType<typeof listLedger>> = await listLedger(database, 'acc_1', {
          limit: 4,
          cursor,
        })
        ids.push(...page.data.map(({ id }) => id))
        cursor = page.nextCursor
      }
      const newestFirst = many
        .map(({ requestId }) => requestId)
        .sort()
        .reverse()
      expect(ids).toEqual(['pay_1', ...newestFirst])
    })

    async function insert(
      table: string,
      columns: readonly string[],
      values: readonly (string | number | bigint | null)[],
    ) {
      const places = columns.map((_, index) => `$${index + 1}`)
      await database.rows(
        `insert into ${table} (${columns.join(', ')}) values (${places.join(', ')})`,
        values,
      )
    }
  })
}

const ENTRY_COLUMNS = ['kind', 'id', 'account_id', 'amount_nano', 'request_id', 'reference', 'note', 'at_ms']

function encodeEntry(entry: typeof chargedEntry | typeof payment) {
  const { kind, id, accountId, amountNano, requestId, reference, note, atMs } = entry
  return [kind, id, accountId, amountNano, requestId, reference, note, BigInt(atMs)]
}
