import { tryLockFolder } from '../../edges/journal/folder-lock.ts'
import { journalFolderOf } from '../../edges/journal/journal-folders.ts'

/** Numbers for workers, each of which stands for a journal: the lowest that no living process has. */
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

/** A worker of an earlier parent may still be at its last streams. */
function isInUse(journalFolder: string): boolean {
  const lock = tryLockFolder(journalFolder)
  lock?.release()
  return lock === null
}
