import { Database } from 'bun:sqlite'
import { accessSync, chmodSync, constants, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SettingError } from './read-settings.ts'

/**
 * The folder of a gateway: embedded database, journals, generated secrets. One process at a time may use it, together
 * with the workers it has started.
 */
export interface DataFolder {
  readonly path: string
  /** The text of a file kept for this node alone; null when there is none yet. */
  read(name: string): string | null
  write(name: string, text: string): void
  release(): void
}

export function openDataFolder(path: string): DataFolder {
  makeWritable(path)
  const lock = takeLock(path)
  return { ...filesIn(path), release: () => lock.close() }
}

/** For a worker, whose parent has the folder for as long as both live. */
export function enterDataFolder(path: string): DataFolder {
  makeWritable(path)
  return { ...filesIn(path), release: () => {} }
}

function filesIn(path: string): Omit<DataFolder, 'release'> {
  return {
    path,
    read: (name) => (existsSync(join(path, name)) ? readFileSync(join(path, name), 'utf8').trim() : null),
    write: (name, text) => {
      writeFileSync(join(path, name), `${text}\n`, { mode: 0o600 })
      chmodSync(join(path, name), 0o600)
    },
  }
}

function makeWritable(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 })
    accessSync(path, constants.W_OK | constants.X_OK)
  } catch (error) {
    throw refusal(path, `a folder this process can make or write to (${codeOf(error)})`)
  }
}

/** A lock the system lets go of when the process ends, however it ends: two processes would spoil the journal. */
function takeLock(path: string): Database {
  let lock: Database | null = null
  try {
    lock = new Database(join(path, 'lock'), { create: true })
    lock.exec('PRAGMA busy_timeout = 0')
    lock.exec('BEGIN EXCLUSIVE')
    return lock
  } catch (error) {
    lock?.close()
    const code = codeOf(error)
    if (code.startsWith('SQLITE_BUSY')) throw refusal(path, 'a folder no other running gateway uses')
    throw refusal(path, `a folder this process can write to (${code})`)
  }
}

function refusal(path: string, taken: string): SettingError {
  return new SettingError(`TURNPIKE_DATA is ${JSON.stringify(path)}; it takes ${taken}.`)
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
}
