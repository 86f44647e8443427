import { Database as Connection, type Statement } from 'bun:sqlite'
import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import type { MaybePromise } from '../../../vocabulary/runtime/maybe-promise.ts'
import { type Database, IN_TRANSACTION, type Lock, LockedOut, type Parameter, refuse } from './database.ts'
import { type RunStatement, SqliteThread } from './sqlite-thread.ts'

const CLOCK_MS = "cast(unixepoch('subsec') * 1000 as integer)"

// Moving what was written from the log into the file takes 10 to 20 ms, so a thread does it after so many values, which is
// about every 5 MB. Should the thread not keep up, a commit moves it when the log has 32 MB.
const VALUES_PER_MOVE = 50_000
const MOST_LOG_PAGES = 8_000
const MOVE = 'pragma wal_checkpoint(passive)'
// The first write after all of it was moved begins the log anew, and waits for the disk. Any page will do.
const BEGIN_ANEW = 'pragma user_version = 0'

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
    connection.run(`pragma wal_autocheckpoint = ${MOST_LOG_PAGES}`)
  } catch (error) {
    connection.close()
    throw error
  }
  return new SqliteDatabase(connection, path, survivesPowerCut)
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
  readonly #thread: SqliteThread
  #lastInQueue: Promise<unknown> = Promise.resolve()
  #unmovedValues = 0
  #isMoving = false
  #isClosed = false

  constructor(connection: Connection, path: string, survivesPowerCut: boolean) {
    this.#connection = connection
    this.#path = path
    this.#thread = new SqliteThread(path, survivesPowerCut)
  }

  rows<Row>(sql: string, parameters: readonly Parameter[]): Promise<Row[]> {
    return this.#enqueue(() => whenFree(() => this.#run<Row>(sql, parameters)))
  }

  analyze<Row>(sql: string, parameters: readonly Parameter[]): Promise<Row[]> {
    return this.rows(sql, parameters)
  }

  async writeLarge(sql: string, parameters: readonly Parameter[]): Promise<void> {
    if (this.#isClosed) throw new Error('The database is closed.')
    return this.#thread.write(sql, parameters)
  }

  transaction<Result>(work: (tx: Database) => Promise<Result>): Promise<Result> {
    return this.#enqueue(() => this.#runTransaction(work))
  }

  /** Others wait for it as for any transaction, but the event loop goes on. */
  bulkTransaction<Result>(work: (tx: Database) => Promise<Result>): Promise<Result> {
    return this.#enqueue(() => this.#runOnThread(work))
  }

  /** On a connection of its own, which sees what was there when it first looked and keeps nobody from writing. */
  async snapshot<Result>(work: (moment: Database) => Promise<Result>): Promise<Result> {
    const connection = new Connection(this.#path, { readonly: true, safeIntegers: true, strict: true })
    const moment = insideTransaction(
      (sql, parameters) => connection.query(sql).all(...parameters),
      takingTurns(0),
    )
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
    return holding(await waitForFileLock(this.#lockFile(name), patienceMs), work)
  }

  async unlessRunning<Result>(name: string, work: () => Promise<Result>): Promise<Result | null> {
    const lock = tryFileLock(this.#lockFile(`job-${name}`))
    return lock && holding(lock, work)
  }

  // Migrations run in a transaction, and every transaction here holds the only write lock.
  async lockSchema(): Promise<void> {}

  async lockTable(): Promise<void> {}

  async setSurvivesPowerCut(survives: boolean): Promise<void> {
    await this.rows(`pragma synchronous = ${survives ? 'full' : 'normal'}`, [])
    this.#thread.setSurvivesPowerCut(survives)
  }

  close(): Promise<void> {
    return this.#enqueue(async () => {
      if (this.#isClosed) return
      this.#isClosed = true
      await this.#thread.close()
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
    const tx = insideTransaction((sql, parameters) => this.#run(sql, parameters), takingTurns(TURN_MS))
    try {
      const result = await work(tx)
      this.#run('commit', [])
      this.#moveLogWhenDue()
      return result
    } catch (error) {
      // A full disk, for one, has already made SQLite roll back by itself.
      if (this.#connection.inTransaction) this.#run('rollback', [])
      throw error
    } finally {
      tx.end()
    }
  }

  async #runOnThread<Result>(work: (tx: Database) => Promise<Result>): Promise<Result> {
    if (this.#isClosed) throw new Error('The database is closed.')
    const result = await this.#thread.transaction(async (run) => {
      const tx = insideTransaction((sql, parameters) => {
        this.#unmovedValues += parameters.length
        return run(sql, parameters)
      }, AT_ONCE)
      try {
        return await work(tx)
      } finally {
        tx.end()
      }
    })
    this.#moveLogWhenDue()
    return result
  }

  #moveLogWhenDue(): void {
    if (this.#unmovedValues >= VALUES_PER_MOVE && !this.#isMoving) void this.#moveLog()
  }

  async #moveLog(): Promise<void> {
    this.#isMoving = true
    this.#unmovedValues = 0
    try {
      await this.#thread.write(MOVE, [])
      // The second time for what was written during the first, while nothing more is. Everybody waits for it, so it waits
      // for nobody: if the thread has something else to do, or another process writes, the next commit begins the log anew.
      await this.#enqueue(async () => {
        if (!this.#thread.isIdle) return
        await this.#thread.write(MOVE, [])
        await this.#thread.writeIfFree(BEGIN_ANEW)
      })
    } catch {
      // The next one is due soon, or the database is being closed.
    } finally {
      this.#isMoving = false
    }
  }

  #run<Row>(sql: string, parameters: readonly Parameter[]): Row[] {
    if (this.#isClosed) throw new Error('The database is closed.')
    this.#unmovedValues += parameters.length
    let statement = this.#statements.get(sql)
    if (statement === undefined) {
      statement = this.#connection.prepare(sql)
      this.#statements.set(sql, statement)
    }
    // As one array: thousands of arguments would be copied twice.
    return statement.all(parameters) as Row[]
  }
}

/** Resolves when the next statement may run; null: at once. */
type Pace = () => Promise<void> | null

const AT_ONCE: Pace = () => null

// A batch of settlements takes several times as long.
const TURN_MS = 2

/** Lets everything else in this process have its turn whenever statements, and what is between them, took so long. */
function takingTurns(turnMs: number): Pace {
  let endsAtMs = performance.now() + turnMs
  return () => {
    if (performance.now() < endsAtMs) return null
    return new Promise((resolve) => {
      setImmediate(() => {
        endsAtMs = performance.now() + turnMs
        resolve()
      })
    })
  }
}

function insideTransaction(run: RunStatement, pace: Pace): Database & { end(): void } {
  let isOpen = true
  const tx: Database & { end(): void } = {
    ...IN_TRANSACTION,
    hasOneWriter: true,
    clockMs: CLOCK_MS,
    rows: async <Row>(sql: string, parameters: readonly Parameter[]) => {
      const turn = pace()
      if (turn !== null) await turn
      if (!isOpen) throw new Error('The transaction has ended.')
      return run(sql, parameters) as MaybePromise<Row[]>
    },
    analyze: (sql, parameters) => tx.rows(sql, parameters),
    writeLarge: refuse('A transaction holds the write lock that this would wait for.'),
    transaction: (work) => work(tx),
    bulkTransaction: (work) => work(tx),
    // Every transaction holds the only write lock.
    lockSchema: async () => {},
    lockTable: async () => {},
    setSurvivesPowerCut: refuse('A transaction is synced as it was when it began.'),
    end: () => {
      isOpen = false
    },
  }
  return tx
}

const PATIENCE_MS = 5000
const PAUSE_MS = 5

/**
 * Tries again while another connection holds the write lock. SQLite's own waiting would block the event loop,
 * and with it the very transaction waited for when that one belongs to this process.
 */
async function whenFree<Result>(attempt: () => Result): Promise<Result> {
  const giveUpAtMs = performance.now() + PATIENCE_MS
  for (;;) {
    try {
      return attempt()
    } catch (error) {
      if (!isBusy(error) || performance.now() > giveUpAtMs) throw error
    }
    await Bun.sleep(PAUSE_MS)
  }
}

function isBusy(error: unknown): boolean {
  return (
    error instanceof Error &&
    'code' in error &&
    typeof error.code === 'string' &&
    error.code.startsWith('SQLITE_BUSY')
  )
}

/**
 * Makes an empty file that only its owner can read. One that is there is not touched: to open and close a file makes
 * the system drop every lock that this process holds on it.
 */
function makePrivateFile(path: string): void {
  if (existsSync(path)) return
  try {
    closeSync(openSync(path, 'wx', 0o600))
  } catch (error) {
    // Another process was first.
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  }
}

/** A lock between processes that the system lets go of when its holder ends, however it ends. */
interface FileLock {
  release(): void
}

/** null when a process has it, be it this one. */
function tryFileLock(path: string): FileLock | null {
  makePrivateFile(path)
  const connection = new Connection(path)
  try {
    connection.run('pragma busy_timeout = 0')
    connection.run('begin exclusive')
    return { release: () => connection.close() }
  } catch (error) {
    connection.close()
    if (isBusy(error)) return null
    throw error
  }
}

async function waitForFileLock(path: string, patienceMs: number | null): Promise<FileLock> {
  const giveUpAtMs = performance.now() + (patienceMs ?? Number.POSITIVE_INFINITY)
  for (;;) {
    const lock = tryFileLock(path)
    if (lock !== null) return lock
    if (performance.now() > giveUpAtMs) throw new LockedOut('Another process holds the lock.')
    await Bun.sleep(PAUSE_MS)
  }
}

async function holding<Result>(lock: FileLock, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } finally {
    lock.release()
  }
}
