import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '../../../../test/support/eventually.ts'
import { isRefusal } from '../refusal.ts'
import { type Site, testedEngines } from '../testing/engines.ts'
import type { Database } from './database.ts'

for (const engine of testedEngines()) {
  describe(`database on ${engine.name}`, () => {
    let site: Site
    let database: Database

    beforeEach(async () => {
      site = await engine.makeSite()
      database = await site.openDatabase()
      await database.rows(
        'create table things (id text primary key, large bigint, small integer, share double precision)',
        [],
      )
    })
    afterEach(async () => {
      await database.close()
      await site.remove()
    })

    const insert = (id: string, at: Database = database) =>
      at.rows('insert into things (id) values ($1)', [id])
    const ids = async (at: Database = database) =>
      (await at.rows<{ id: string }>('select id from things order by id', [])).map(({ id }) => id)

    test('integers of every size are exact bigints, sums too', async () => {
      const values = ['a', 2n ** 63n - 1n, 7, 0.25, 'b', -(2n ** 53n) - 1n, -7n, null]
      await database.rows('insert into things values ($1, $2, $3, $4), ($5, $6, $7, $8)', values)
      expect(await database.rows<object>('select large, small, share from things order by id', [])).toEqual([
        { large: 2n ** 63n - 1n, small: 7n, share: 0.25 },
        { large: -(2n ** 53n) - 1n, small: -7n, share: null },
      ])
      expect(
        await database.rows<object>('select cast(sum(large) as bigint) as total from things where id = $1', [
          'b',
        ]),
      ).toEqual([{ total: -(2n ** 53n) - 1n }])
    })

    test('an analysis is planned for its values, and leaves no setting behind', async () => {
      const isServer = engine.name.includes('PostgreSQL')
      const mode = isServer ? "current_setting('plan_cache_mode')" : "'auto'"
      await insert('a')
      const question = `select ${mode} as mode from things where id = $1`
      const analyses = [1, 2, 3].map(() => database.analyze<object>(question, ['a']))
      const planned = { mode: isServer ? 'force_custom_plan' : 'auto' }
      expect(await Promise.all(analyses)).toEqual([[planned], [planned], [planned]])
      const plain = Array.from({ length: 20 }, () => database.rows<object>(question, ['a']))
      for (const rows of await Promise.all(plain)) expect(rows).toEqual([{ mode: 'auto' }])
    })

    test('a parameter may be used more than once', async () => {
      await insert('a')
      const rows = await database.rows<{ id: string }>(
        'select id from things where id = $1 or id < $2 or id > $1',
        ['a', 'A'],
      )
      expect(rows).toHaveLength(1)
    })

    describe.each(['transaction', 'bulkTransaction'] as const)('%s', (kind) => {
      test('a transaction that fails leaves nothing behind, and the next one works', async () => {
        const failing = database[kind](async (tx) => {
          await insert('a', tx)
          await tx.transaction((inner) => insert('b', inner))
          throw new Error('on purpose')
        })
        await expect(failing).rejects.toThrow('on purpose')
        await database[kind]((tx) => insert('c', tx))
        expect(await ids()).toEqual(['c'])
      })

      test('queries from outside never take part in an open transaction', async () => {
        const halfDone = Promise.withResolvers<void>()
        const goOn = Promise.withResolvers<void>()
        const failing = database[kind](async (tx) => {
          await insert('inside', tx)
          halfDone.resolve()
          await goOn.promise
          throw new Error('on purpose')
        })
        await halfDone.promise
        const outside = insert('outside')
        const seen = ids()
        goOn.resolve()
        await expect(failing).rejects.toThrow('on purpose')
        await outside
        expect(await seen).not.toContain('inside')
        expect(await ids()).toEqual(['outside'])
      })

      test('a transaction cannot be used after its end', async () => {
        const ended = await database[kind](async (tx) => tx)
        await expect(insert('late', ended)).rejects.toThrow('ended')
        expect(await ids()).toEqual([])
      })

      test('two connections of one process can both write', async () => {
        const other = await site.openDatabase()
        await Promise.all(
          Array.from({ length: 20 }, (_, index) =>
            (index % 2 === 0 ? database : other)[kind](async (tx) => {
              await insert(`row ${index}`, tx)
              await ids(tx)
            }),
          ),
        )
        await other.close()
        expect(await ids()).toHaveLength(20)
      })

      test('a long transaction lets others have their turn, and none of them is part of it', async () => {
        const slow = `with recursive counted (n) as (select 1 union all select n + 1 from counted where n < 200000)
          select count(*) as many from counted`
        let turns = 0
        const counting = setInterval(() => {
          turns += 1
        }, 0)
        const long = database[kind](async (tx) => {
          for (let step = 0; step < 5; step += 1) await tx.rows(slow, [])
          await insert('inside', tx)
          for (let step = 0; step < 5; step += 1) await tx.rows(slow, [])
          throw new Error('on purpose')
        })
        const outside = insert('outside')
        await expect(long).rejects.toThrow('on purpose')
        clearInterval(counting)
        await outside
        expect(turns).toBeGreaterThan(3)
        expect(await ids()).toEqual(['outside'])
      })

      test('a broken constraint is a refusal, and nothing is left of the rest', async () => {
        const refused = database[kind](async (tx) => {
          await insert('a', tx)
          await insert('a', tx)
          await insert('b', tx)
        })
        const error = await refused.catch((reason: unknown) => reason)
        expect(isRefusal(error)).toBe(true)
        expect(await ids()).toEqual([])
      })

      test('rows and counts of earlier statements are seen by later ones', async () => {
        const seen = await database[kind](async (tx) => {
          await insert('a', tx)
          await insert('b', tx)
          const before = await ids(tx)
          const removed = await tx.rows<object>('delete from things where id = $1 returning id', ['a'])
          await insert('c', tx)
          return { before, removed }
        })
        expect(seen).toEqual({ before: ['a', 'b'], removed: [{ id: 'a' }] })
        expect(await ids()).toEqual(['b', 'c'])
      })
    })

    test('large writes beside a bulk transaction are no part of it', async () => {
      const failing = database.bulkTransaction(async (tx) => {
        await insert('inside', tx)
        await ids(tx)
        throw new Error('on purpose')
      })
      const large = database.writeLarge('insert into things (id) values ($1)', ['large'])
      await expect(failing).rejects.toThrow('on purpose')
      await large
      expect(await ids()).toEqual(['large'])
    })

    test('a closed database lets go of its files, after large writes too', async () => {
      await database.writeLarge('insert into things (id) values ($1)', ['large'])
      expect(await ids()).toEqual(['large'])
      await database.close()
      const leftOpen = readdirSync(site.dataFolder).filter((name) => /-(wal|shm)$/.test(name))
      expect(leftOpen).toEqual([])
    })
  })
}

const ROWS_AT_ONCE = 1_000
const ALL_ROWS = 60_000
/** After which it is moved for the first time. */
const MOVED_ROWS = 25_000

/** A SQLite database with a table, and how to write rows into it that are far fewer than a commit would move by itself. */
async function openThings() {
  const site = await testedEngines()
    .find(({ name }) => name === 'SQLite')
    ?.makeSite()
  if (site === undefined) throw new Error('SQLite is always there')
  const database = await site.openDatabase()
  await database.rows('create table things (id bigint primary key, note text)', [])
  const values = Array.from({ length: ROWS_AT_ONCE }, (_, row) => `($${2 * row + 1}, $${2 * row + 2})`)
  const insert = `insert into things (id, note) values ${values.join(', ')}`
  const writeRows = async (count: number) => {
    for (let rows = 0; rows < count; rows += ROWS_AT_ONCE) {
      const parameters = Array.from({ length: ROWS_AT_ONCE }, (_, row) => [
        BigInt(rows + row),
        'x'.repeat(50),
      ])
      await database.transaction((tx) => tx.rows(insert, parameters.flat()))
    }
  }
  const fileOf = (ending: string) => {
    const name = readdirSync(site.dataFolder).find((each) => each.endsWith(ending))
    return join(site.dataFolder, name ?? '')
  }
  const close = async () => {
    await database.close()
    await site.remove()
  }
  return { database, writeRows, fileOf, close }
}

test('SQLite moves what was written into its file while the database is open', async () => {
  const { database, writeRows, fileOf, close } = await openThings()
  const before = statSync(fileOf('.db')).size
  await writeRows(ALL_ROWS)
  // A thread does it, so it takes a moment.
  await eventually('a larger file', () => statSync(fileOf('.db')).size > before + 1_000_000)
  const [stored] = await database.rows<{ count: bigint }>('select count(*) as count from things', [])
  expect(stored?.count).toBe(BigInt(ALL_ROWS))
  await close()
})

test('SQLite begins its log anew on the thread, because that waits for the disk', async () => {
  const { writeRows, fileOf, close } = await openThings()
  // It changes with each beginning.
  const saltOf = (log: string) => readFileSync(log).readUInt32BE(16)
  const before = saltOf(fileOf('.db-wal'))
  await writeRows(MOVED_ROWS)
  await eventually('another beginning, without another write', () => saltOf(fileOf('.db-wal')) !== before)
  await close()
})
