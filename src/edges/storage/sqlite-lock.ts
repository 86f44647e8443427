import { Database as Connection } from 'bun:sqlite'
import { closeSync, existsSync, openSync } from 'node:fs'
import { LockedOut } from './database.ts'

const PATIENCE_MS = 5000
const PAUSE_MS = 5

/**
 * Tries again while another connection holds the write lock. SQLite's own waiting would block the event loop,
 * and with it the very transaction waited for when that one belongs to this process.
 */
export async function whenFree<Result>(attempt: () => Result): Promise<Result> {
  const giveUpAtMs = performance.now() + PATIENCE_MS
  for (;;) {
    try {
      return attempt()
    } catch (error) {
      if (!isBusy(error) || performance.now() > giveUpAtMs) throw error
    }
    await pauseBusy()
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

function pauseBusy(): Promise<void> {
  return Bun.sleep(PAUSE_MS)
}

/**
 * Makes an empty file that only its owner can read. One that is there is not touched: to open and close a file makes
 * the system drop every lock that this process holds on it.
 */
export function makePrivateFile(path: string): void {
  if (existsSync(path)) return
  try {
    closeSync(openSync(path, 'wx', 0o600))
  } catch (error) {
    // Another process was first.
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  }
}

/** A lock between processes that the system lets go of when its holder ends, however it ends. */
export interface FileLock {
  release(): void
}

/** null when a process has it, be it this one. */
export function tryFileLock(path: string): FileLock | null {
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

export async function waitForFileLock(path: string, patienceMs: number | null): Promise<FileLock> {
  const giveUpAtMs = performance.now() + (patienceMs ?? Number.POSITIVE_INFINITY)
  for (;;) {
    const lock = tryFileLock(path)
    if (lock !== null) return lock
    if (performance.now() > giveUpAtMs) throw new LockedOut('Another process holds the lock.')
    await pauseBusy()
  }
}
