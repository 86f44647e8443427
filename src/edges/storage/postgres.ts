import { SQL } from 'bun'
import type { Database, Parameter } from './database.ts'
import { holdLock, tryLock } from './postgres-lock.ts'

const POOL_SIZE = 10
const CONNECTION_TIMEOUT_SECONDS = 10
// Any number will do, as long as no other program locks the same one in the same database.
const SCHEMA_LOCK = 7_087_265_911n

const CLOCK_MS = 'cast(floor(extract(epoch from clock_timestamp()) * 1000) as bigint)'

/** The server shows its operator who is connected by the name of the session. */
export function openPostgres(url: string, sessionName = 'turnpike'): Database {
  const pool = new SQL(url, {
    bigint: true,
    max: POOL_SIZE,
    connectionTimeout: CONNECTION_TIMEOUT_SECONDS,
    connection: { application_name: sessionName },
  })
  return {
    clockMs: CLOCK_MS,
    rows: (sql, parameters) => query(pool, sql, parameters),
    transaction: (work) => pool.begin((tx) => work(insideTransaction(tx))) as ReturnType<typeof work>,
    snapshot: (work) =>
      pool.begin('isolation level repeatable read read only', (tx) =>
        work(insideTransaction(tx)),
      ) as ReturnType<typeof work>,
    lockSchema: outsideTransaction,
    lockTable: outsideTransaction,
    exclusively: (lock, work) => holdLock(pool, lock, work),
    unlessRunning: (name, work) => tryLock(pool, `job ${name}`, work),
    close: () => pool.close(),
  }
}

function insideTransaction(session: SQL): Database {
  const tx: Database = {
    clockMs: CLOCK_MS,
    rows: (sql, parameters) => query(session, sql, parameters),
    transaction: (work) => work(tx),
    snapshot: () => {
      throw new Error('A transaction sees its own moment already.')
    },
    lockSchema: async () => {
      await query(session, 'select pg_advisory_xact_lock($1)', [SCHEMA_LOCK])
    },
    lockTable: async (name) => {
      await query(session, `lock table ${name} in exclusive mode`, [])
    },
    exclusively: () => {
      throw new Error('A transaction cannot wait for other nodes.')
    },
    unlessRunning: () => {
      throw new Error('A transaction cannot look at other nodes.')
    },
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
