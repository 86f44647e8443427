import { SQL } from 'bun'
import type { Timers } from '../../vocabulary/clock.ts'
import type { Database, Parameter } from './database.ts'
import { Connections, type Line, type Patience } from './postgres-connections.ts'
import { holdLock, tryLock } from './postgres-lock.ts'

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
    // The server writes; all that is done here is sending.
    writeLarge: async (sql, parameters) => {
      await rows(sql, parameters)
    },
    transaction: (work) => runTransaction(connections.open(), work),
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
    hasOneWriter: false,
    clockMs: CLOCK_MS,
    rows: ask,
    writeLarge: async (sql, parameters) => {
      await ask(sql, parameters)
    },
    transaction: (work) => work(tx),
    snapshot: () => {
      throw new Error('A transaction sees its own moment already.')
    },
    lockSchema: async () => {
      patience.makeEndless()
      await ask('select pg_advisory_xact_lock($1)', [SCHEMA_LOCK])
    },
    lockTable: async (name) => {
      patience.makeEndless()
      await ask(`lock table ${name} in exclusive mode`, [])
    },
    exclusively: () => {
      throw new Error('A transaction cannot wait for other nodes.')
    },
    unlessRunning: () => {
      throw new Error('A transaction cannot look at other nodes.')
    },
    setSurvivesPowerCut: async () => {},
    close: async () => {
      throw new Error('A transaction cannot close its database.')
    },
  }
  return tx
}

async function outsideTransaction(): Promise<void> {
  throw new Error('Nothing can be locked outside of a transaction.')
}

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
  for (const [column, value] of Object.entries(row)) {
    if (Number.isInteger(value)) row[column] = BigInt(value as number)
  }
}
