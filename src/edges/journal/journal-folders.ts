import { existsSync, readdirSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { type LineAt, readLines } from './read-lines.ts'
import { SEGMENT_NAME } from './segment-files.ts'

const FOLDER_NAME = /^journal(-\d+)?$/

/** The journal folder of a process. Each worker in a data folder has its own. */
export function journalFolderOf(dataFolder: string, worker: number | null): string {
  return join(dataFolder, worker === null ? 'journal' : `journal-${worker}`)
}

/** All journal folders in a data folder, in use or not. */
export function findJournalFolders(dataFolder: string): string[] {
  if (!existsSync(dataFolder)) return []
  return readdirSync(dataFolder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && FOLDER_NAME.test(entry.name))
    .map(({ name }) => join(dataFolder, name))
    .sort()
}

/** The files of one journal, in the order in which they were written. */
export interface JournalSource {
  readonly folder: string
  readonly files: readonly string[]
}

/**
 * The journals at a path: a single file, a journal's folder, or a data folder with the journals of one or several
 * processes. null when there is none.
 */
export function findJournals(path: string): readonly JournalSource[] | null {
  if (!existsSync(path)) return null
  if (!statSync(path).isDirectory()) return [{ folder: dirname(path), files: [path] }]
  const folders = findJournalFolders(path)
  if (folders.length > 0) return folders.map(sourceOf)
  const source = sourceOf(path)
  return source.files.length === 0 && !basename(path).startsWith('journal') ? null : [source]
}

function sourceOf(folder: string): JournalSource {
  const names = readdirSync(folder).filter((name) => SEGMENT_NAME.test(name))
  return { folder, files: names.sort().map((name) => join(folder, name)) }
}

export function* linesIn({ files }: JournalSource): Generator<LineAt> {
  for (const file of files) yield* readLines(file)
}
