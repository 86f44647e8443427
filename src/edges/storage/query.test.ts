import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { integer, text } from '../../vocabulary/field.ts'
import { shape } from '../../vocabulary/shape.ts'
import type { Database } from './engines/database.ts'
import { MIGRATIONS, migrate } from './migrations.ts'
import { prepare, queryOn, writeLarge } from './query.ts'
import { tableOf } from './table.ts'
import { type Site, testedEngines } from './testing/engines.ts'

// Queries are checked against the real tables, so these stand in for what the program does with them.
const balance = (accountId: string, nano: bigint) => ({
  account_id: accountId,
  balance_nano: nano,
  total_paid_nano: 0n,
})
const spend = (keyId: string, day: bigint, amountNano = 1n) => ({
  key_id: keyId,
  day,
  amount_nano: amountNano,
})

for (const engine of testedEngines()) {
  describe(`queries on ${engine.name}`, () => {
    let site: Site
    let database: Database

    beforeAll(async () => {
      site = await engine.makeSite()
      database = await site.openDatabase()
      await migrate(database, MIGRATIONS)
    })
    afterAll(async () => {
      await database.close()
      await site.remove()
    })
    beforeEach(async () => {
      await queryOn(database).deleteFrom('account_balances').execute()
      await queryOn(database).deleteFrom('key_daily_spend').execute()
    })

    const accounts = async (at: Database = database) => {
      const rows = await queryOn(at)
        .selectFrom('account_balances')
        .select('account_id')
        .orderBy('account_id')
        .execute()
      return rows.map((row) => row.account_id)
    }

    test.each([2n ** 63n - 1n, -(2n ** 53n) - 1n, 0n])('%s comes back exactly, as a bigint', async (nano) => {
      await queryOn(database).insertInto('account_balances').values(balance('a', nano)).execute()
      const rows = await queryOn(database)
        .selectFrom('account_balances')
        .select((row) => [
          'balance_nano',
          row.cast<bigint>(row.fn.sum('balance_nano'), 'bigint').as('sum'),
          row.fn.countAll<bigint>().as('count'),
        ])
        .groupBy('balance_nano')
        .execute()
      expect(rows).toEqual([{ balance_nano: nano, sum: nano, count: 1n }])
    })

    test('an integer column comes back as a bigint too', async () => {
      await queryOn(database).insertInto('key_daily_spend').values(spend('k', 20_000n)).execute()
      const rows = await queryOn(database).selectFrom('key_daily_spend').select('day').execute()
      expect(rows).toEqual([{ day: 20_000n }])
    })

    const Job = shape('Job', { name: text(), lastRunMs: integer() })
    const jobs = tableOf('scheduled_jobs', Job, { key: ['name'] })
    const job = (name: string, lastRunMs: number) => ({ name, lastRunMs })

    test('a saved row is inserted, or replaces everything but its key', async () => {
      for (const each of [job('a', 5), job('a', 7), job('b', 9)]) await jobs.save(database, each)
      expect(await jobs.list(database)).toEqual([job('a', 7), job('b', 9)])
      expect(await jobs.find(database, { lastRunMs: 9 })).toEqual(job('b', 9))
      expect(await jobs.find(database, { name: 'c' })).toBeNull()
    })

    test('an insert reports a conflict on the named columns, and throws when none are named', async () => {
      await jobs.remove(database, {})
      expect(await jobs.insert(database, job('a', 1), ['name'])).toBe(true)
      expect(await jobs.insert(database, job('a', 2), ['name'])).toBe(false)
      expect(await jobs.find(database, { name: 'a' })).toEqual(job('a', 1))
      await expect(jobs.insert(database, job('a', 2))).rejects.toThrow()
    })

    test('a change affects only the named columns of matching rows, and a removal returns the count', async () => {
      await jobs.remove(database, {})
      for (const each of [job('a', 1), job('b', 1), job('c', 3)]) await jobs.save(database, each)
      await jobs.change(database, { name: 'c' }, { name: 'd', lastRunMs: 4 })
      await jobs.change(database, { name: 'd' }, {})
      expect(await jobs.remove(database, { lastRunMs: 1 })).toBe(2)
      expect(await jobs.list(database)).toEqual([job('d', 4)])
    })

    test('a shape that differs from the table does not compile', () => {
      const plan = { key: ['name'] } as const
      // @ts-expect-error a column that the table does not have
      tableOf('scheduled_jobs', shape('More', { ...Job.fields, other: text() }), plan)
      // @ts-expect-error a column that is missing
      tableOf('scheduled_jobs', shape('Less', { name: text() }), plan)
      // @ts-expect-error a column of another type
      tableOf('scheduled_jobs', shape('Else', { name: text(), lastRunMs: text() }), plan)
    })

    test('a list lookup finds the existing rows, however long the list is', async () => {
      await queryOn(database)
        .insertInto('account_balances')
        .values([balance('a', 1n), balance('b', 2n), balance('c', 3n)])
        .execute()
      const asked = ['c', 'a', ...Array.from({ length: 500 }, (_, index) => `nobody ${index}`)]
      const rows = await queryOn(database)
        .selectFrom('account_balances')
        .select(['account_id', 'version'])
        .where('account_id', 'in', asked)
        .orderBy('account_id')
        .limit(10)
        .execute()
      expect(rows).toEqual([
        { account_id: 'a', version: 0n },
        { account_id: 'c', version: 0n },
      ])
    })

    test('rows are compared column by column, in order', async () => {
      const spends = [spend('a', 1n), spend('a', 2n), spend('b', 1n)]
      await queryOn(database).insertInto('key_daily_spend').values(spends).execute()
      const rows = await queryOn(database)
        .selectFrom('key_daily_spend')
        .select(['key_id', 'day'])
        .where((row) => row(row.refTuple('key_id', 'day'), '>', row.tuple('a', 1n)))
        .orderBy('key_id')
        .orderBy('day')
        .execute()
      expect(rows).toEqual([
        { key_id: 'a', day: 2n },
        { key_id: 'b', day: 1n },
      ])
    })

    test('an insert returns the values the database filled in', async () => {
      const row = await queryOn(database)
        .insertInto('account_balances')
        .values(balance('a', 1n))
        .returning(['account_id', 'version'])
        .executeTakeFirst()
      expect(row).toEqual({ account_id: 'a', version: 0n })
    })

    test('a transaction sees its own writes, and none stays when it fails', async () => {
      const failing = database.transaction(async (tx) => {
        await queryOn(tx).insertInto('account_balances').values(balance('a', 1n)).execute()
        expect(queryOn(tx)).toBe(queryOn(tx))
        expect(await accounts(tx)).toEqual(['a'])
        throw new Error('on purpose')
      })
      await expect(failing).rejects.toThrow('on purpose')
      expect(await accounts()).toEqual([])
    })

    test("a transaction's queries cannot be used after its end", async () => {
      const ended = await database.transaction(async (tx) => {
        await accounts(tx)
        return tx
      })
      await expect(accounts(ended)).rejects.toThrow('ended')
    })

    test('a query object cannot start a transaction', async () => {
      const begun = queryOn(database)
        .transaction()
        .execute(async () => undefined)
      await expect(begun).rejects.toThrow('Transactions are begun on the database.')
    })

    test('a prepared query can be reused with other values and databases', async () => {
      const insert = prepare((query, given: { id: string; nano: bigint }) =>
        query.insertInto('account_balances').values(balance(given.id, given.nano)),
      )
      const find = prepare((query, given: { id: string; other: string }) =>
        query
          .selectFrom('account_balances')
          .select(['account_id', 'balance_nano'])
          .where((row) => row.or([row('account_id', '=', given.other), row('account_id', '=', given.id)]))
          .where('total_paid_nano', '=', 0n)
          .orderBy('account_id'),
      )
      await insert.all(database, { id: 'a', nano: 1n })
      await database.transaction((tx) => insert.all(tx, { id: 'b', nano: 2n }))
      expect(await find.all(database, { other: 'b', id: 'a' })).toEqual([
        { account_id: 'a', balance_nano: 1n },
        { account_id: 'b', balance_nano: 2n },
      ])
      expect(await find.first(database, { other: '', id: 'b' })).toEqual({
        account_id: 'b',
        balance_nano: 2n,
      })
      expect(await find.first(database, { other: '', id: '' })).toBeUndefined()
    })

    test('a large value is written outside of transactions', async () => {
      const sealed = 'x'.repeat(300_000)
      const query = queryOn(database)
      await writeLarge(
        database,
        query.insertInto('kept_reply_pieces').values({ piece_id: 'p', sealed_piece: sealed }),
      )
      const row = await query
        .selectFrom('kept_reply_pieces')
        .select('sealed_piece')
        .where('piece_id', '=', 'p')
        .executeTakeFirst()
      expect(row).toEqual({ sealed_piece: sealed })
      await writeLarge(database, query.deleteFrom('kept_reply_pieces').where('piece_id', '=', 'p'))
    })
  })
}
