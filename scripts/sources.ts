import { createHash, type Hash } from 'node:crypto'
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'

export const ROOT = join(import.meta.dirname, '..')

/** Every file of a folder, at any depth, without tests. */
export function listSources(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/\.test\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
}

/** The names and contents of files, in an order that does not depend on the file system. */
export function hashFiles(paths: readonly string[]): Hash {
  const hash = createHash('sha256')
  for (const path of paths.toSorted()) {
    hash.update(relative(ROOT, path)).update('\0').update(readFileSync(path)).update('\0')
  }
  return hash
}

/** Removes what has not been touched for so long. */
export function removeOld(
  folder: string,
  ageMs: number,
  isKept: (name: string) => boolean = () => false,
): void {
  const goneBeforeMs = Date.now() - ageMs
  for (const name of readdirSync(folder).filter((each) => !isKept(each))) {
    const path = join(folder, name)
    // Another process may be doing the same.
    const touchedAtMs = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? goneBeforeMs
    if (touchedAtMs < goneBeforeMs) rmSync(path, { recursive: true, force: true })
  }
}
