import { Database as Connection } from 'bun:sqlite'
import { closeSync, fsyncSync, openSync } from 'node:fs'

/**
 * A backup is one SQLite database: the tables of the gateway, whichever engine they come from, a table with files of the
 * data folder, and one that tells what it is.
 */
export interface KeptFile {
  /** Its path in the data folder. */
  readonly path: string
  readonly content: Uint8Array
}

export interface BackupFacts {
  readonly engine: 'sqlite' | 'postgresql'
  readonly version: string
  readonly madeAt: string
}

const FORMAT = '1'

/** Adds the files and facts to a copy of the database, and ends it. */
export function sealBackup(path: string, files: readonly KeptFile[], facts: BackupFacts): void {
  const connection = new Connection(path)
  try {
    connection.run('create table backup_files (path text primary key, content blob not null)')
    connection.run('create table backup_facts (name text primary key, value text not null)')
    const insert = connection.prepare('insert into backup_files (path, content) values (?, ?)')
    const note = connection.prepare('insert into backup_facts (name, value) values (?, ?)')
    connection.transaction(() => {
      for (const { path: name, content } of files) insert.run(name, content)
      for (const [name, value] of Object.entries({ format: FORMAT, ...facts })) note.run(name, value)
    })()
    for (const statement of [insert, note]) statement.finalize()
    // So that everything is in one file.
    connection.run('pragma journal_mode = delete')
  } finally {
    connection.close()
  }
  syncFile(path)
}

/** Fails when the file is no backup, or not whole. */
export function readBackupFacts(path: string): BackupFacts {
  const connection = openOrRefuse(path)
  try {
    const rows = allRows<FactRow>(connection, 'select name, value from backup_facts')
    const facts = Object.fromEntries(rows.map(({ name, value }) => [name, value]))
    if (facts.format !== FORMAT)
      throw new Error(`It has format ${facts.format}, and this program knows ${FORMAT}.`)
    const [check] = allRows<{ quick_check: string }>(connection, 'pragma quick_check')
    if (check?.quick_check !== 'ok') throw new Error('It is damaged.')
    const engine = facts.engine === 'postgresql' ? 'postgresql' : 'sqlite'
    return { engine, version: facts.version ?? '', madeAt: facts.madeAt ?? '' }
  } catch (error) {
    throw new Error(`${JSON.stringify(path)} is no backup that can be restored. ${reasonOf(error)}`, {
      cause: error,
    })
  } finally {
    connection.close()
  }
}

interface FactRow {
  readonly name: string
  readonly value: string
}

function openOrRefuse(path: string): Connection {
  try {
    return new Connection(path, { readonly: true })
  } catch (error) {
    throw new Error(`${JSON.stringify(path)} cannot be read.`, { cause: error })
  }
}

function reasonOf(error: unknown): string {
  const isOfSqlite = error instanceof Error && 'code' in error
  return error instanceof Error && !isOfSqlite ? error.message : ''
}

/** Takes the files out of a copy of a backup, and leaves the tables of the gateway alone in it. */
export function unsealCopy(path: string): KeptFile[] {
  const connection = new Connection(path)
  try {
    const files = allRows<KeptFile>(connection, 'select path, content from backup_files')
    // One of the files is the secret, which must not stay in unused pages.
    connection.run('pragma secure_delete = on')
    connection.run('drop table backup_files')
    connection.run('drop table backup_facts')
    return files
  } finally {
    connection.close()
  }
}

/** A statement that is not finalized keeps its connection, and the locks of it, after `close`. */
export function allRows<Row>(connection: Connection, sql: string): Row[] {
  const statement = connection.prepare(sql)
  try {
    return statement.all() as Row[]
  } finally {
    statement.finalize()
  }
}

export function syncFile(path: string): void {
  const file = openSync(path, 'r+')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}
