import { tryLockFolder } from '../../edges/journal/folder-lock.ts'
import { journalFolderOf } from '../../edges/journal/journal-folders.ts'

/** Assigns slots to workers: the lowest number whose journal no running process uses. */
export class Slots {
  readonly #dataFolder: string
  readonly #taken = new Set<number>()

  constructor(dataFolder: string) {
    this.#dataFolder = dataFolder
  }

  take(): number {
    let slot = 0
    while (this.#taken.has(slot) || isInUse(journalFolderOf(this.#dataFolder, slot))) slot += 1
    this.#taken.add(slot)
    return slot
  }

  release(slot: number): void {
    this.#taken.delete(slot)
  }
}

/** A worker of an earlier parent may still be finishing its last streams. */
function isInUse(journalFolder: string): boolean {
  const lock = tryLockFolder(journalFolder)
  lock?.release()
  return lock === null
}
