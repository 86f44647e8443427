import { Database as Connection } from 'bun:sqlite'
import { closeSync, copyFileSync, openSync, rmSync } from 'node:fs'
import { embeddedFile } from '../engines/open-database.ts'
import {
  type BackupFacts,
  type KeptFile,
  readBackupFacts,
  sealBackup,
  syncFile,
  unsealCopy,
} from './backup-file.ts'
import { bringUpToDate, copyFromServer, copyToServer, type OnRows } from './copy-rows.ts'

export { type BackupFacts, type KeptFile, readBackupFacts } from './backup-file.ts'
export { holdsAccounts, type OnRows } from './copy-rows.ts'

export interface BackupSource {
  /** null for the database in the data folder. */
  readonly databaseUrl: string | null
  readonly dataFolder: string
  readonly files: readonly KeptFile[]
  readonly facts: Omit<BackupFacts, 'engine'>
}

/** Writes a backup to a file that does not exist yet, as of one moment, while others go on writing. */
export async function writeBackup(source: BackupSource, path: string, onRows: OnRows): Promise<void> {
  const { databaseUrl, dataFolder, files, facts } = source
  // It holds secrets, so nobody else may read it.
  closeSync(openSync(path, 'wx', 0o600))
  if (databaseUrl === null) copyEmbedded(embeddedFile(dataFolder), path)
  else await copyFromServer(databaseUrl, path, onRows)
  sealBackup(path, files, { engine: databaseUrl === null ? 'sqlite' : 'postgresql', ...facts })
}

const PATIENCE_MS = 10_000

/** SQLite reads as of one moment, and keeps nobody from writing meanwhile. */
function copyEmbedded(from: string, to: string): void {
  const connection = new Connection(from, { readwrite: true, create: false })
  try {
    connection.run(`pragma busy_timeout = ${PATIENCE_MS}`)
    connection.run('vacuum into ?', [to])
  } finally {
    connection.close()
  }
}

/** A copy of a backup with the schema of this program and nothing but the tables of the gateway. */
export interface PreparedCopy {
  readonly path: string
  readonly files: readonly KeptFile[]
}

/** Leaves the backup as it is. */
export async function prepareCopy(backup: string, path: string): Promise<PreparedCopy> {
  readBackupFacts(backup)
  rmSync(path, { force: true })
  closeSync(openSync(path, 'wx', 0o600))
  copyFileSync(backup, path)
  const files = unsealCopy(path)
  await bringUpToDate(path)
  // The data folder gets one file; its log would stay behind.
  endLog(path)
  syncFile(path)
  return { path, files }
}

function endLog(path: string): void {
  const connection = new Connection(path)
  connection.run('pragma journal_mode = delete')
  connection.close()
}

/** Replaces what a server holds. */
export async function restoreToServer(
  copy: PreparedCopy,
  databaseUrl: string,
  onRows: OnRows,
): Promise<void> {
  await copyToServer(copy.path, databaseUrl, onRows)
}
