import { Database } from 'bun:sqlite'
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { SettingError } from './read-settings.ts'

/**
 * The folder of a gateway: embedded database, journals, generated secrets. One process at a time may use it, together
 * with the workers it has started.
 */
export interface DataFolder {
  readonly path: string
  /** The text of a file kept for this node alone; null when there is none yet. */
  read(name: string): string | null
  /** All of it or nothing, and for good: when this returns, no power cut undoes it. */
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
      const unfinished = join(path, `${name}.unfinished`)
      writeSynced(unfinished, `${text}\n`)
      renameSynced(unfinished, join(path, name))
    },
  }
}

/** A database may be sealed under what is written here, so it must not reach the disk later than that does. */
export function writeSynced(path: string, text: string): void {
  const file = openSync(path, 'w', 0o600)
  try {
    // One that was there before keeps the mode it had.
    fchmodSync(file, 0o600)
    writeSync(file, text)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

/** Names reach the disk with their folder, not with the file. */
export function renameSynced(from: string, to: string): void {
  renameSync(from, to)
  syncFolder(dirname(to))
}

function syncFolder(path: string): void {
  const folder = openSync(path, 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}

function makeWritable(path: string): void {
  try {
    const firstMade = mkdirSync(path, { recursive: true, mode: 0o700 })
    if (firstMade !== undefined) syncMade(firstMade, resolve(path))
    accessSync(path, constants.W_OK | constants.X_OK)
  } catch (error) {
    throw refusal(path, `a folder this process can make or write to (${codeOf(error)})`)
  }
}

/** Syncs the names of all folders that were made, the last of them first. */
function syncMade(firstMade: string, path: string): void {
  const top = dirname(resolve(firstMade))
  for (let folder = dirname(path); folder.length >= top.length; folder = dirname(folder)) {
    syncFolder(folder)
    if (folder === top) return
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
