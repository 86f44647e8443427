import { Database } from 'bun:sqlite'
import { existsSync, mkdirSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'

const LOOK_MS = 25

export interface FolderLock {
  release(): void
}

/** Beside the folder, so that what is in it is the journal and nothing else. */
function lockFileOf(folder: string): string {
  const path = resolve(folder)
  return `${dirname(path)}/${basename(path)}.lock`
}

/**
 * Takes a journal's folder for this process; null when another holds it. The system lets go of it when the process
 * ends, however it ends. The file stays: whoever removed it could remove one that somebody has just taken.
 */
export function tryLockFolder(folder: string): FolderLock | null {
  const path = lockFileOf(folder)
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const lock = new Database(path, { create: true })
  try {
    lock.exec('PRAGMA busy_timeout = 0')
    // Nothing is ever written to it, so nothing of it has to reach the disk.
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

/** Whether a process may hold it: one that never wrote there has made no lock. */
export function wasEverLocked(folder: string): boolean {
  return existsSync(lockFileOf(folder))
}

/** Waits a while for a folder: a process that has just started may be storing what was left in it. */
export async function lockFolder(folder: string, patienceMs: number): Promise<FolderLock> {
  const endMs = performance.now() + patienceMs
  for (;;) {
    const lock = tryLockFolder(folder)
    if (lock !== null) return lock
    if (performance.now() >= endMs) {
      throw new Error(`The journal in ${JSON.stringify(folder)} is in use by another running gateway.`)
    }
    await Bun.sleep(LOOK_MS)
  }
}
