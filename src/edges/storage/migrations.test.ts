import { describe, expect, test } from 'bun:test'
import type { Migration } from './migrations/migration.ts'
import { MIGRATIONS, migrate } from './migrations.ts'
import { type Site, testedEngines } from './testing/engines.ts'

const FIRST: Migration = { version: 1, name: 'first', statements: ['create table a (id text primary key)'] }
const SECOND: Migration = { version: 2, name: 'second', statements: ['create table b (id text primary key)'] }
const BROKEN: Migration = { version: 2, name: 'broken', statements: ['create table c (id text)', 'nonsense'] }

test('versions are numbered without gaps', () => {
  expect(MIGRATIONS.map(({ version }) => version)).toEqual(MIGRATIONS.map((_, index) => index + 1))
})

for (const engine of testedEngines()) {
  describe(`migrations on ${engine.name}`, () => {
    async function withSite(work: (site: Site) => Promise<void>) {
      const site = await engine.makeEmptySite()
      try {
        await work(site)
      } finally {
        await site.remove()
      }
    }

    test('only those not run before are run', () =>
      withSite(async (site) => {
        const database = await site.openDatabase()
        await migrate(database, [FIRST])
        await database.rows('insert into a (id) values ($1)', ['kept'])
        await migrate(database, [FIRST, SECOND])
        expect(await database.rows<{ id: string }>('select id from a', [])).toHaveLength(1)
        expect(await database.rows('select id from b', [])).toHaveLength(0)
        await database.close()
      }))

    test('several starting together run each once', () =>
      withSite(async (site) => {
        const databases = await Promise.all(Array.from({ length: 4 }, () => site.openDatabase()))
        await Promise.all(databases.map((database) => migrate(database, [FIRST, SECOND])))
        const [one] = databases
        expect(
          await one?.rows<{ version: bigint }>('select version from schema_migrations', []),
        ).toHaveLength(2)
        await Promise.all(databases.map((database) => database.close()))
      }))

    test('one that fails leaves nothing behind', () =>
      withSite(async (site) => {
        const database = await site.openDatabase()
        await expect(migrate(database, [FIRST, BROKEN])).rejects.toThrow()
        await migrate(database, [FIRST, SECOND])
        await expect(database.rows('select * from c', [])).rejects.toThrow()
        await database.close()
      }))

    test('a database from a newer program is refused', () =>
      withSite(async (site) => {
        const database = await site.openDatabase()
        await migrate(database, [FIRST, SECOND])
        await expect(migrate(database, [FIRST])).rejects.toThrow('schema version 2')
        await database.close()
      }))
  })
}
