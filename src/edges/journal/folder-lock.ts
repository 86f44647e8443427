import { Database } from 'bun:sqlite'
import { existsSync, mkdirSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'

const LOOK_MS = 25

export interface FolderLock {
  release(): void
}

/** Beside the folder, which contains only the journal. */
function lockFileOf(folder: string): string {
  const path = resolve(folder)
  return join(dirname(path), `${basename(path)}.lock`)
}

/**
 * Locks a journal folder for this process; null when another process holds it. The system releases the lock when the
 * process ends. The file stays, because removing it could remove a lock that another process has just taken.
 */
export function tryLockFolder(folder: string): FolderLock | null {
  const path = lockFileOf(folder)
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const lock = new Database(path, { create: true })
  try {
    lock.exec('PRAGMA busy_timeout = 0')
    // Nothing is ever written to it, so it need not reach the disk.
    lock.exec('PRAGMA journal_mode = MEMORY')
    lock.exec('PRAGMA synchronous = OFF')
    lock.exec('BEGIN EXCLUSIVE')
    return { release: () => lock.close() }
  } catch (error) {
    lock.close()
    if (error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_BUSY')) return null
    throw error
  }
}

/** Whether any process has ever locked the folder. */
export function wasEverLocked(folder: string): boolean {
  return existsSync(lockFileOf(folder))
}

/** Waits for a folder, since another process may be storing what was left in it. */
export async function lockFolder(folder: string, patienceMs: number): Promise<FolderLock> {
  const endMs = performance.now() + patienceMs
  for (;;) {
    const lock = tryLockFolder(folder)
    if (lock !== null) return lock
    if (performance.now() >= endMs) {
      throw new Error(
        `The journal in ${JSON.stringify(folder)} is in use by another running gateway. Stop it or set another data folder.`,
      )
    }
    await Bun.sleep(LOOK_MS)
  }
}
