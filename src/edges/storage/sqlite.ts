import { Database as Connection, type Statement } from 'bun:sqlite'
import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Database, Lock, Parameter } from './database.ts'
import { makePrivateFile, tryFileLock, waitForFileLock, whenFree } from './sqlite-lock.ts'
import { SqliteWriter } from './sqlite-writer.ts'

const CLOCK_MS = "cast(unixepoch('subsec') * 1000 as integer)"

export interface SqliteOptions {
  /**
   * What was committed survives a power cut, at the cost of a flush of the disk for each commit. Otherwise a cut takes
   * the commits that the system has not written back yet, always the newest, and leaves the database whole.
   */
  readonly survivesPowerCut?: boolean
}

export async function openSqlite(
  path: string,
  { survivesPowerCut = false }: SqliteOptions = {},
): Promise<Database> {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  // SQLite would make the file readable by all; its journal files take over the mode of this one.
  makePrivateFile(path)
  const connection = new Connection(path, { create: true, safeIntegers: true, strict: true })
  try {
    connection.run('pragma busy_timeout = 0')
    await whenFree(() => connection.run('pragma journal_mode = wal'))
    connection.run(`pragma synchronous = ${survivesPowerCut ? 'full' : 'normal'}`)
    connection.run('pragma foreign_keys = on')
    // An insert of many rows keeps notes for undoing itself; in a file they double the system time of a batch.
    connection.run('pragma temp_store = memory')
  } catch (error) {
    connection.close()
    throw error
  }
  return new SqliteDatabase(connection, path)
}

/**
 * One connection, so all work waits in one queue: otherwise a query made while a transaction awaits something
 * would run inside that transaction.
 */
class SqliteDatabase implements Database {
  readonly hasOneWriter = true
  readonly clockMs = CLOCK_MS
  readonly #connection: Connection
  readonly #path: string
  readonly #statements = new Map<string, Statement>()
  readonly #writer: SqliteWriter
  #lastInQueue: Promise<unknown> = Promise.resolve()
  #isClosed = false

  constructor(connection: Connection, path: string) {
    this.#connection = connection
    this.#path = path
    this.#writer = new SqliteWriter(path)
  }

  rows<Row>(sql: string, parameters: readonly Parameter[]): Promise<Row[]> {
    return this.#enqueue(() => whenFree(() => this.#run<Row>(sql, parameters)))
  }

  async writeLarge(sql: string, parameters: readonly Parameter[]): Promise<void> {
    if (this.#isClosed) throw new Error('The database is closed.')
    return this.#writer.write(sql, parameters)
  }

  transaction<Result>(work: (tx: Database) => Promise<Result>): Promise<Result> {
    return this.#enqueue(() => this.#runTransaction(work))
  }

  /** On a connection of its own, which sees what was there when it first looked and keeps nobody from writing. */
  async snapshot<Result>(work: (moment: Database) => Promise<Result>): Promise<Result> {
    const connection = new Connection(this.#path, { readonly: true, safeIntegers: true, strict: true })
    const moment = new SqliteMoment((sql, parameters) => connection.query(sql).all(...parameters))
    try {
      connection.run('begin')
      // Another process may be opening or closing the file at this very moment, which keeps readers out for a while.
      await whenFree(() => connection.query('select 1 from sqlite_schema limit 1').all())
      return await work(moment)
    } finally {
      moment.end()
      connection.close()
    }
  }

  async exclusively<Result>({ name, patienceMs }: Lock, work: () => Promise<Result>): Promise<Result> {
    const lock = await waitForFileLock(this.#lockFile(name), patienceMs)
    try {
      return await work()
    } finally {
      lock.release()
    }
  }

  async unlessRunning<Result>(name: string, work: () => Promise<Result>): Promise<Result | null> {
    const lock = tryFileLock(this.#lockFile(`job-${name}`))
    if (lock === null) return null
    try {
      return await work()
    } finally {
      lock.release()
    }
  }

  // Migrations run in a transaction, and every transaction here holds the only write lock.
  async lockSchema(): Promise<void> {}

  async lockTable(): Promise<void> {}

  async setSurvivesPowerCut(survives: boolean): Promise<void> {
    await this.rows(`pragma synchronous = ${survives ? 'full' : 'normal'}`, [])
  }

  close(): Promise<void> {
    return this.#enqueue(async () => {
      if (this.#isClosed) return
      this.#isClosed = true
      await this.#writer.close()
      for (const statement of this.#statements.values()) statement.finalize()
      this.#statements.clear()
      this.#connection.close()
    })
  }

  #lockFile(name: string): string {
    return `${this.#path}.${encodeURIComponent(name)}.lock`
  }

  #enqueue<Result>(task: () => Promise<Result>): Promise<Result> {
    const result = this.#lastInQueue.then(task)
    this.#lastInQueue = result.catch(() => {})
    return result
  }

  async #runTransaction<Result>(work: (tx: Database) => Promise<Result>): Promise<Result> {
    // Taking the write lock at once: a lock upgraded later may fail in the middle, when waiting cannot help.
    await whenFree(() => this.#run('begin immediate', []))
    const tx = new SqliteTransaction((sql, parameters) => this.#run(sql, parameters))
    try {
      const result = await work(tx)
      this.#run('commit', [])
      return result
    } catch (error) {
      // A full disk, for one, has already made SQLite roll back by itself.
      if (this.#connection.inTransaction) this.#run('rollback', [])
      throw error
    } finally {
      tx.end()
    }
  }

  #run<Row>(sql: string, parameters: readonly Parameter[]): Row[] {
    if (this.#isClosed) throw new Error('The database is closed.')
    let statement = this.#statements.get(sql)
    if (statement === undefined) {
      statement = this.#connection.prepare(sql)
      this.#statements.set(sql, statement)
    }
    // As one array: thousands of arguments would be copied twice.
    return statement.all(parameters) as Row[]
  }
}

class SqliteTransaction implements Database {
  readonly hasOneWriter = true
  readonly clockMs = CLOCK_MS
  readonly #run: (sql: string, parameters: readonly Parameter[]) => unknown[]
  #isOpen = true

  constructor(run: (sql: string, parameters: readonly Parameter[]) => unknown[]) {
    this.#run = run
  }

  async rows<Row>(sql: string, parameters: readonly Parameter[]): Promise<Row[]> {
    if (!this.#isOpen) throw new Error('The transaction has ended.')
    return this.#run(sql, parameters) as Row[]
  }

  async writeLarge(): Promise<void> {
    throw new Error('A transaction holds the write lock that this would wait for.')
  }

  transaction<Result>(work: (tx: Database) => Promise<Result>): Promise<Result> {
    return work(this)
  }

  snapshot<Result>(): Promise<Result> {
    throw new Error('A transaction sees its own moment already.')
  }

  exclusively<Result>(): Promise<Result> {
    throw new Error('A transaction cannot wait for other nodes.')
  }

  unlessRunning<Result>(): Promise<Result | null> {
    throw new Error('A transaction cannot look at other nodes.')
  }

  async lockSchema(): Promise<void> {}

  async lockTable(): Promise<void> {}

  async setSurvivesPowerCut(): Promise<void> {
    throw new Error('A transaction is synced as it was when it began.')
  }

  async close(): Promise<void> {
    throw new Error('A transaction cannot close its database.')
  }

  end(): void {
    this.#isOpen = false
  }
}

/** A long reading lets everything else in this process have its turn before each step. */
class SqliteMoment extends SqliteTransaction {
  override async rows<Row>(sql: string, parameters: readonly Parameter[]): Promise<Row[]> {
    await new Promise((resolve) => setImmediate(resolve))
    return super.rows(sql, parameters)
  }
}
