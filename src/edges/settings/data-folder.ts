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
  writeFileSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { SettingError } from './read-settings.ts'

/**
 * The gateway's data folder: embedded database, journals, generated secrets. Only one process and its workers may use it.
 */
export interface DataFolder {
  readonly path: string
  /** Reads a file of this node; null when it does not exist yet. */
  read(name: string): string | null
  /** Writes a file as a whole. It survives a power cut once this returns. */
  write(name: string, text: string): void
  release(): void
}

export function openDataFolder(path: string): DataFolder {
  makeWritable(path)
  const lock = takeLock(path)
  return { ...filesIn(path), release: () => lock.close() }
}

/** For a worker. Its parent has locked the folder. */
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

/** The database may be encrypted with this secret, so the secret must reach the disk first. */
export function writeSynced(path: string, content: string | Uint8Array): void {
  const file = openSync(path, 'w', 0o600)
  try {
    // A file that existed before keeps its mode.
    fchmodSync(file, 0o600)
    writeFileSync(file, content)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

/** A file name reaches the disk with its folder, not with the file. */
export function renameSynced(from: string, to: string): void {
  renameSync(from, to)
  syncFolder(dirname(to))
}

function syncFolder(path: string): void {
  // Windows opens no folder as a file, and keeps names in a journal of its own.
  if (process.platform === 'win32') return
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
    throw refusal(path, `a folder that this process can create or write to (${codeOf(error)})`)
  }
}

/** Syncs the names of all created folders, the innermost first. */
function syncMade(firstMade: string, path: string): void {
  const top = dirname(resolve(firstMade))
  for (let folder = dirname(path); folder.length >= top.length; folder = dirname(folder)) {
    syncFolder(folder)
    if (folder === top) return
  }
}

/** The system releases this lock when the process ends for any reason. Two processes would corrupt the journal. */
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
    if (code.startsWith('SQLITE_BUSY')) throw refusal(path, 'a folder that no other running gateway uses')
    throw refusal(path, `a folder that this process can write to (${code})`)
  }
}

function refusal(path: string, taken: string): SettingError {
  return new SettingError(`TURNPIKE_DATA is ${JSON.stringify(path)}; it must be ${taken}.`)
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
}
