import { Database } from 'bun:sqlite'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** What an older version left behind, and what must still be true of it. */
export interface OldDatabase {
  readonly madeBy: string
  readonly key: string
  readonly accountId: string
  readonly balance: string
  readonly settlements: number
  readonly responseId: string
  readonly responseOutput: string
}

const HEAD = '-- '

/** Writes a database as text, so that a reader of the repository sees what is in it. */
export function dumpDatabase(dataFolder: string, about: OldDatabase, path: string): void {
  const database = new Database(join(dataFolder, 'turnpike.db'))
  try {
    const objects = database
      .query<{ type: string; name: string; sql: string }, []>(
        "select type, name, sql from sqlite_master where sql is not null and name not like 'sqlite_%'",
      )
      .all()
    const tables = objects.filter(({ type }) => type === 'table')
    const others = objects.filter(({ type }) => type !== 'table')
    const lines = [
      ...tables.map(({ sql }) => sql),
      ...tables.flatMap(({ name }) => dumpRows(database, name)),
      ...others.map(({ sql }) => sql),
    ]
    writeFileSync(path, `${HEAD}${JSON.stringify(about)}\n${lines.map((line) => `${line};\n`).join('')}`)
  } finally {
    database.close()
  }
}

function dumpRows(database: Database, table: string): string[] {
  const columns = database
    .query<{ name: string }, []>(`select name from pragma_table_info('${table}')`)
    .all()
    .map(({ name }) => `"${name}"`)
  const values = columns.map((column) => `quote(${column})`).join(` || ', ' || `)
  return database
    .query<{ row: string }, []>(`select ${values} as row from "${table}"`)
    .all()
    .map(({ row }) => `insert into "${table}" (${columns.join(', ')}) values (${row})`)
}

/** Makes the database of a dump in a data folder. */
export function restoreDatabase(path: string, dataFolder: string): OldDatabase {
  const text = readFileSync(path, 'utf8')
  const database = new Database(join(dataFolder, 'turnpike.db'), { create: true })
  database.exec(text)
  // It would be gone a month after the dump was made.
  database.exec('update kept_replies set expires_at_ms = 4102444800000')
  database.close()
  return JSON.parse(text.slice(HEAD.length, text.indexOf('\n'))) as OldDatabase
}
