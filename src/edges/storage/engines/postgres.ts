import { SQL } from 'bun'
import type { Timers } from '../../../vocabulary/clock.ts'
import { type Database, IN_TRANSACTION, type Lock, LockedOut, type Parameter, refuse } from './database.ts'
import { Connections, type Line, type Patience } from './postgres-connections.ts'

const POOL_SIZE = 10
const CONNECTION_TIMEOUT_SECONDS = 10
// Any number will do, as long as no other program locks the same one in the same database.
const SCHEMA_LOCK = 7_087_265_911n

const CLOCK_MS = 'cast(floor(extract(epoch from clock_timestamp()) * 1000) as bigint)'

const AS_OF_ONE_MOMENT = 'isolation level repeatable read read only'
// Rewrites whole tables.
const TAKES_AS_LONG_AS_IT_TAKES = /^vacuum\b/

/** The server shows its operator who is connected by the name of the session. */
export function openPostgres(url: string, sessionName = 'turnpike', timers?: Timers): Database {
  const connect = () =>
    new SQL(url, {
      bigint: true,
      max: POOL_SIZE,
      connectionTimeout: CONNECTION_TIMEOUT_SECONDS,
      connection: { application_name: sessionName },
    })
  const connections = new Connections(connect, timers)
  const rows = <Row>(sql: string, parameters: readonly Parameter[]) => {
    const { pool, patience } = connections.open()
    if (TAKES_AS_LONG_AS_IT_TAKES.test(sql)) patience.makeEndless()
    return patience.guard(query<Row>(pool, sql, parameters))
  }
  return {
    hasOneWriter: false,
    clockMs: CLOCK_MS,
    rows,
    analyze: (sql, parameters) =>
      runTransaction(connections.open(), async (tx) => {
        // Of this transaction only: a session may be another client's next, where connections are shared.
        await tx.rows('set local plan_cache_mode = force_custom_plan', [])
        return tx.rows(sql, parameters)
      }),
    // The server writes; all that is done here is sending.
    writeLarge: async (sql, parameters) => {
      await rows(sql, parameters)
    },
    transaction: (work) => runTransaction(connections.open(), work),
    bulkTransaction: (work) => runTransaction(connections.open(), work),
    snapshot: (work) => runTransaction(connections.open(), work, AS_OF_ONE_MOMENT),
    lockSchema: outsideTransaction,
    lockTable: outsideTransaction,
    exclusively: (lock, work) => holdLock(connections.open(), lock, work),
    unlessRunning: (name, work) => tryLock(connections.open(), `job ${name}`, work),
    setSurvivesPowerCut: async () => {},
    close: () => connections.close(),
  }
}

function runTransaction<Result>(
  { pool, patience }: Line,
  work: (tx: Database) => Promise<Result>,
  mode: string | null = null,
): Promise<Result> {
  const run = (session: SQL) => patience.pause(() => work(insideTransaction(session, patience)))
  const begun = mode === null ? pool.begin(run) : pool.begin(mode, run)
  return patience.guard(begun as Promise<Result>)
}

function insideTransaction(session: SQL, patience: Patience): Database {
  const ask = <Row>(sql: string, parameters: readonly Parameter[]) =>
    patience.during(() => query<Row>(session, sql, parameters))
  const tx: Database = {
    ...IN_TRANSACTION,
    hasOneWriter: false,
    clockMs: CLOCK_MS,
    rows: ask,
    analyze: ask,
    writeLarge: async (sql, parameters) => {
      await ask(sql, parameters)
    },
    transaction: (work) => work(tx),
    bulkTransaction: (work) => work(tx),
    lockSchema: async () => {
      patience.makeEndless()
      await ask('select pg_advisory_xact_lock($1)', [SCHEMA_LOCK])
    },
    lockTable: async (name) => {
      patience.makeEndless()
      await ask(`lock table ${name} in exclusive mode`, [])
    },
    setSurvivesPowerCut: async () => {},
  }
  return tx
}

const outsideTransaction = refuse('Nothing can be locked outside of a transaction.')

async function query<Row>(session: SQL, sql: string, parameters: readonly Parameter[]): Promise<Row[]> {
  const rows: Record<string, unknown>[] = await session.unsafe(sql, parameters.map(withoutNul))
  for (const row of rows) normaliseIntegers(row)
  return rows as Row[]
}

// A text of PostgreSQL cannot hold the character NUL, and a request must not fail because a name has one.
function withoutNul(parameter: Parameter): Parameter {
  return typeof parameter === 'string' ? parameter.replaceAll('\0', '\uFFFD') : parameter
}

/** The client gives a bigint for `bigint` columns and a number for `integer` ones. */
function normaliseIntegers(row: Record<string, unknown>): void {
  for (const column in row) {
    const value = row[column]
    if (typeof value === 'number' && Number.isInteger(value)) row[column] = BigInt(value)
  }
}

// Locks are pairs: this number, which no other program should use in the same database, and a hash of the name.
const LOCK_SPACE = 708_726
// A node that is cut off cannot let go, and the server would wait hours for a connection that says nothing.
const LEASE_MS = 20_000
const BEAT_MS = 5_000
/** What the server says when a lock was not to be had in time. */
const LOCK_NOT_AVAILABLE = '55P03'

/**
 * The lock is that of a transaction: whatever becomes of the connection, the server lets go of it, and a connection that
 * goes back to the pool never takes it along. Work that goes on after the connection was lost is not told.
 */
async function holdLock<Result>(
  line: Line,
  { name, patienceMs }: Lock,
  work: () => Promise<Result>,
): Promise<Result> {
  const held = await whileLocked(line, work, async (session) => {
    if (patienceMs === null) line.patience.makeEndless()
    else await session.unsafe(`set local lock_timeout = ${Math.ceil(patienceMs)}`)
    await session.unsafe('select pg_advisory_xact_lock($1, hashtext($2))', [LOCK_SPACE, name])
    return true
  }).catch((error: unknown) => {
    throw isLockTimeout(error) ? new LockedOut('Another node holds the lock.', { cause: error }) : error
  })
  if (held === null) throw new Error('A lock was waited for and not had.')
  return held.result
}

/** null when it is held already. */
async function tryLock<Result>(
  line: Line,
  name: string,
  work: () => Promise<Result>,
): Promise<Result | null> {
  const held = await whileLocked(line, work, async (session) => {
    const [row]: { taken: boolean }[] = await session.unsafe(
      'select pg_try_advisory_xact_lock($1, hashtext($2)) as taken',
      [LOCK_SPACE, name],
    )
    return row?.taken === true
  })
  return held === null ? null : held.result
}

type StatementResult<Result> = { readonly result: Result } | { readonly failure: unknown }

async function whileLocked<Result>(
  { pool, patience }: Line,
  work: () => Promise<Result>,
  take: (session: SQL) => Promise<boolean>,
): Promise<{ readonly result: Result } | null> {
  const begun: { ending: Promise<StatementResult<Result>> | null } = { ending: null }
  try {
    const holding = pool.begin(async (session) => {
      await session.unsafe(`set local idle_in_transaction_session_timeout = ${LEASE_MS}`)
      if (!(await take(session))) return
      const ending = runBeating(session, work)
      begun.ending = ending
      await patience.pause(() => ending)
    })
    await patience.guard(holding)
  } catch (error) {
    // A connection that is lost ends the transaction at once; what goes on without it is still waited for.
    if (begun.ending === null) throw error
  }
  const ending = await begun.ending
  if (ending !== null && 'failure' in ending) throw ending.failure
  return ending
}

async function runBeating<Result>(
  session: SQL,
  work: () => Promise<Result>,
): Promise<StatementResult<Result>> {
  const beat = setInterval(() => session.unsafe('select 1').catch(() => undefined), BEAT_MS)
  try {
    return { result: await work() }
  } catch (failure) {
    return { failure }
  } finally {
    clearInterval(beat)
  }
}

function isLockTimeout(error: unknown): boolean {
  return error instanceof Error && 'errno' in error && error.errno === LOCK_NOT_AVAILABLE
}
