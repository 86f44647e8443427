import type { SQL } from 'bun'
import { type Lock, LockedOut } from './database.ts'
import type { Line } from './postgres-connections.ts'

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
export async function holdLock<Result>(
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
export async function tryLock<Result>(
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

type Ending<Result> = { readonly result: Result } | { readonly failure: unknown }

async function whileLocked<Result>(
  { pool, patience }: Line,
  work: () => Promise<Result>,
  take: (session: SQL) => Promise<boolean>,
): Promise<{ readonly result: Result } | null> {
  const begun: { ending: Promise<Ending<Result>> | null } = { ending: null }
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

async function runBeating<Result>(session: SQL, work: () => Promise<Result>): Promise<Ending<Result>> {
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
