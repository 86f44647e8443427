import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { writeSynced } from '../../../edges/settings/data-folder.ts'
import type { KeptFile } from '../../../edges/storage/backup/index.ts'

/** The database is copied by itself, uploads and images live for hours, and locks belong to processes. */
const LEFT_OUT = /^(?:turnpike\.db.*|uploads|assets|lock(?:-journal)?|.*\.lock|.*\.unfinished)$/

/** The files of a data folder that a backup keeps: generated secrets, and journals. */
export function readKeptFiles(dataFolder: string): KeptFile[] {
  return listFiles(dataFolder).map((path) => {
    return { path: relative(dataFolder, path).replaceAll(sep, '/'), content: readFileSync(path) }
  })
}

function listFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (LEFT_OUT.test(entry.name)) return []
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return listFiles(path)
    return entry.isFile() ? [path] : []
  })
}

const LOCK = /^lock(?:-journal)?$/

/** Whether a data folder has anything but its lock. */
export function isFilled(dataFolder: string): boolean {
  return readdirSync(dataFolder).some((name) => !LOCK.test(name))
}

/** Removes everything but the lock, which this process holds, and this one. */
export function emptyFolder(dataFolder: string, kept: string): void {
  for (const name of readdirSync(dataFolder)) {
    if (!LOCK.test(name) && name !== kept) rmSync(join(dataFolder, name), { recursive: true, force: true })
  }
}

export function writeKeptFiles(dataFolder: string, files: readonly KeptFile[]): void {
  for (const { path, content } of files) {
    const target = resolve(dataFolder, path)
    if (!target.startsWith(`${resolve(dataFolder)}${sep}`))
      throw new Error(`the backup names a file outside: ${path}`)
    mkdirSync(dirname(target), { recursive: true, mode: 0o700 })
    writeSynced(target, content)
  }
}
