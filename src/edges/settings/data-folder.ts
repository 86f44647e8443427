import { Database } from 'bun:sqlite'
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SettingError } from './read-settings.ts'

/** The folder of this node: embedded database, journal, generated secrets. One process at a time may use it. */
export interface DataFolder {
  readonly path: string
  /** The text of a file kept for this node alone; null when there is none yet. */
  read(name: string): string | null
  write(name: string, text: string): void
  release(): void
}

export function openDataFolder(path: string): DataFolder {
  mkdirSync(path, { recursive: true, mode: 0o700 })
  const lock = takeLock(path)
  return {
    path,
    read: (name) => (existsSync(join(path, name)) ? readFileSync(join(path, name), 'utf8').trim() : null),
    write: (name, text) => {
      writeFileSync(join(path, name), `${text}\n`, { mode: 0o600 })
      chmodSync(join(path, name), 0o600)
    },
    release: () => lock.close(),
  }
}

/** A lock the system lets go of when the process ends, however it ends: two processes would spoil the journal. */
function takeLock(path: string): Database {
  const lock = new Database(join(path, 'lock'), { create: true })
  try {
    lock.exec('PRAGMA busy_timeout = 0')
    lock.exec('BEGIN EXCLUSIVE')
    return lock
  } catch {
    lock.close()
    throw new SettingError(
      `TURNPIKE_DATA is ${JSON.stringify(path)}; it takes a folder no other running gateway uses.`,
    )
  }
}
