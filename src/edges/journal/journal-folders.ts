import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

const FOLDER_NAME = /^journal(-\d+)?$/

/** Where a process keeps its journal: each of several workers in one data folder has a folder of its own. */
export function journalFolderOf(dataFolder: string, worker: number | null): string {
  return join(dataFolder, worker === null ? 'journal' : `journal-${worker}`)
}

/** All of a data folder, in use or not. */
export function findJournalFolders(dataFolder: string): string[] {
  if (!existsSync(dataFolder)) return []
  return readdirSync(dataFolder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && FOLDER_NAME.test(entry.name))
    .map(({ name }) => join(dataFolder, name))
    .sort()
}
