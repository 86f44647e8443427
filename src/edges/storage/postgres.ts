import { SQL } from 'bun'
import type { Database, Parameter } from './database.ts'

const POOL_SIZE = 10
const CONNECTION_TIMEOUT_SECONDS = 10
// Any number will do, as long as no other program locks the same one in the same database.
const SCHEMA_LOCK = 7_087_265_911n
const START_LOCK = 7_087_265_912n
// Locks with a name are pairs: this number and a hash of the name.
const NAMED_LOCKS = 708_726

/** The server shows its operator who is connected by the name of the session. */
export function openPostgres(url: string, sessionName = 'turnpike'): Database {
  const pool = new SQL(url, {
    bigint: true,
    max: POOL_SIZE,
    connectionTimeout: CONNECTION_TIMEOUT_SECONDS,
    connection: { application_name: sessionName },
  })
  return {
    rows: (sql, parameters) => query(pool, sql, parameters),
    transaction: (work) => pool.begin((tx) => work(insideTransaction(tx))) as ReturnType<typeof work>,
    snapshot: (work) =>
      pool.begin('isolation level repeatable read read only', (tx) =>
        work(insideTransaction(tx)),
      ) as ReturnType<typeof work>,
    lockSchema: outsideTransaction,
    lockTable: outsideTransaction,
    exclusively: (work) => exclusively(pool, work),
    unlessRunning: (name, work) => unlessRunning(pool, name, work),
    close: () => pool.close(),
  }
}

function insideTransaction(session: SQL): Database {
  const tx: Database = {
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

/** On a connection of its own: the lock belongs to the connection that took it. */
async function exclusively<Result>(pool: SQL, work: () => Promise<Result>): Promise<Result> {
  const session = await pool.reserve()
  try {
    await query(session, 'select pg_advisory_lock($1)', [START_LOCK])
    return await work()
  } finally {
    await query(session, 'select pg_advisory_unlock($1)', [START_LOCK])
    session.release()
  }
}

async function unlessRunning<Result>(
  pool: SQL,
  name: string,
  work: () => Promise<Result>,
): Promise<Result | null> {
  const session = await pool.reserve()
  try {
    const lock = [NAMED_LOCKS, name]
    const [row] = await query<{ taken: boolean }>(
      session,
      'select pg_try_advisory_lock($1, hashtext($2)) as taken',
      lock,
    )
    if (row?.taken !== true) return null
    try {
      return await work()
    } finally {
      await query(session, 'select pg_advisory_unlock($1, hashtext($2))', lock)
    }
  } finally {
    session.release()
  }
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
