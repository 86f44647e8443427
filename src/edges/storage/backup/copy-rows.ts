import { Database as Connection } from 'bun:sqlite'
import type { Database, Parameter } from '../engines/database.ts'
import { openPostgres } from '../engines/postgres.ts'
import { openSqlite } from '../engines/sqlite.ts'
import { MIGRATIONS, migrate } from '../migrations.ts'
import { allRows } from './backup-file.ts'

/** Called with a table and how many of its rows were copied. */
export type OnRows = (table: string, rows: number) => void

const PORTION = 500
// PostgreSQL takes 65,535 parameters in a statement.
const MOST_PARAMETERS = 30_000
const SESSION_NAME = 'turnpike backup'

/** Copies all tables of a server, as of one moment, to a new SQLite database. */
export async function copyFromServer(databaseUrl: string, path: string, onRows: OnRows): Promise<void> {
  await bringUpToDate(path)
  const target = new Connection(path)
  const server = openPostgres(databaseUrl, SESSION_NAME)
  try {
    await migrate(server, MIGRATIONS)
    // A cut-off backup is thrown away, so nothing needs to survive one.
    target.run('pragma foreign_keys = off')
    target.run('pragma synchronous = off')
    await server.snapshot(async (moment) => {
      for (const table of tablesOf(target)) await readTable(moment, { target, table, onRows })
    })
  } finally {
    await server.close()
    target.close()
  }
}

interface TableCopy {
  readonly target: Connection
  readonly table: string
  readonly onRows: OnRows
}

async function readTable(moment: Database, { target, table, onRows }: TableCopy): Promise<void> {
  const columns = columnsOf(target, table)
  const names = columns.map(quoteName).join(', ')
  const places = columns.map(() => '?').join(', ')
  const insert = target.prepare(`insert into ${quoteName(table)} (${names}) values (${places})`)
  // Some migrations put rows into their tables.
  target.run(`delete from ${quoteName(table)}`)
  await moment.rows(`declare backup_rows no scroll cursor for select ${names} from ${quoteName(table)}`, [])
  let copied = 0
  for (;;) {
    const rows = await moment.rows<Record<string, Parameter>>(`fetch ${PORTION} from backup_rows`, [])
    target.transaction(() => {
      for (const row of rows) insert.run(...columns.map((column) => row[column] ?? null))
    })()
    copied += rows.length
    onRows(table, copied)
    if (rows.length < PORTION) break
  }
  insert.finalize()
  await moment.rows('close backup_rows', [])
}

/** Brings a copy of a backup, or an empty file, to the schema of this program. */
export async function bringUpToDate(path: string): Promise<void> {
  const database = await openSqlite(path)
  try {
    await migrate(database, MIGRATIONS)
  } finally {
    await database.close()
  }
}

/** Whether a server has accounts already. */
export async function holdsAccounts(databaseUrl: string): Promise<boolean> {
  const server = openPostgres(databaseUrl, SESSION_NAME)
  try {
    const [found] = await server.rows<{ name: string | null }>(
      "select to_regclass('accounts')::text as name",
      [],
    )
    if (found?.name === null) return false
    return (await server.rows('select id from accounts limit 1', [])).length > 0
  } finally {
    await server.close()
  }
}

/** Replaces all rows of a server by those of a SQLite database with the same schema, all or nothing. */
export async function copyToServer(path: string, databaseUrl: string, onRows: OnRows): Promise<void> {
  const source = new Connection(path, { readonly: true, safeIntegers: true })
  const server = openPostgres(databaseUrl, SESSION_NAME)
  try {
    await migrate(server, MIGRATIONS)
    await requireAlone(server)
    await server.transaction(async (tx) => {
      const tables = tablesOf(source)
      await tx.rows(`truncate ${tables.map(quoteName).join(', ')}`, [])
      // Rows refer to each other in every direction, so they are checked at the end.
      const links = await listLinks(tx)
      for (const link of links) await alterLink(tx, link, 'deferrable initially deferred')
      for (const table of tables) await writeTable(tx, { source, table, onRows })
      await tx.rows('set constraints all immediate', [])
      for (const link of links) await alterLink(tx, link, 'not deferrable')
    })
  } finally {
    await server.close()
    source.close()
  }
}

/** A node that runs has the old balances in memory. */
async function requireAlone(server: Database): Promise<void> {
  const others = await server.rows(
    `select pid from pg_stat_activity
    where datname = current_database() and application_name like 'turnpike%' and application_name <> $1`,
    [SESSION_NAME],
  )
  if (others.length > 0) {
    throw new Error('A gateway is connected to this database; stop every node first. Nothing was changed.')
  }
}

interface Link {
  readonly table_name: string
  readonly name: string
}

function listLinks(tx: Database): Promise<Link[]> {
  return tx.rows<Link>(
    `select conrelid::regclass::text as table_name, conname::text as name from pg_constraint
    where contype = 'f' and connamespace = current_schema()::regnamespace and not condeferrable`,
    [],
  )
}

async function alterLink(tx: Database, { table_name, name }: Link, rule: string): Promise<void> {
  await tx.rows(`alter table ${table_name} alter constraint ${quoteName(name)} ${rule}`, [])
}

interface SourceTable {
  readonly source: Connection
  readonly table: string
  readonly onRows: OnRows
}

async function writeTable(tx: Database, { source, table, onRows }: SourceTable): Promise<void> {
  const columns = columnsOf(source, table)
  const names = columns.map(quoteName).join(', ')
  const most = Math.min(PORTION, Math.floor(MOST_PARAMETERS / columns.length))
  let portion: Parameter[][] = []
  let copied = 0
  const flush = async () => {
    if (portion.length === 0) return
    const lines = portion.map(
      (row, line) => `(${row.map((_, index) => `$${line * row.length + index + 1}`).join(', ')})`,
    )
    await tx.rows(`insert into ${quoteName(table)} (${names}) values ${lines.join(', ')}`, portion.flat())
    copied += portion.length
    portion = []
    onRows(table, copied)
  }
  const statement = source.prepare(`select ${names} from ${quoteName(table)}`)
  for (const row of statement.iterate()) {
    portion.push(columns.map((column) => (row as Record<string, Parameter>)[column] ?? null))
    if (portion.length >= most) await flush()
  }
  statement.finalize()
  await flush()
}

/** All but the list of migrations, which both sides have. */
function tablesOf(connection: Connection): string[] {
  const rows = allRows<{ name: string }>(
    connection,
    `select name from sqlite_schema where type = 'table' and name not like 'sqlite_%'
    and name <> 'schema_migrations' order by name`,
  )
  return rows.map(({ name }) => name)
}

function columnsOf(connection: Connection, table: string): string[] {
  const rows = allRows<{ name: string }>(connection, `pragma table_info(${quoteName(table)})`)
  return rows.map(({ name }) => name)
}

function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
