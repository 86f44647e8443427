import { Database as Connection } from 'bun:sqlite'
import { LockedOut } from './database.ts'
import { makePrivateFile } from './private-file.ts'
import { isBusy, pauseBusy } from './sqlite-busy.ts'

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
