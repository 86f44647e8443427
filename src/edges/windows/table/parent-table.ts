import type { HubStore } from '../hub.ts'
import { releaseHolds } from './account-records.ts'
import { RecordTable, type TableFile } from './records.ts'
import { generationNumber } from './table-limits.ts'

// Nodes have positive ones.
const PARENT_NUMBER = -1

/** The parent's side of the memory that workers share. */
export class ParentTable implements HubStore {
  readonly #table: RecordTable

  constructor(file: TableFile) {
    // It creates no records, so it need not know which to keep.
    this.#table = new RecordTable(file, PARENT_NUMBER, () => true)
  }

  beginGeneration(generation: string): void {
    this.#table.generation = generationNumber(generation)
  }

  announceConfiguration(version: number): void {
    this.#table.configurationVersion = version
  }

  async releaseNode(nodeNumber: number): Promise<number> {
    await this.#table.lock()
    try {
      return releaseHolds(this.#table, nodeNumber)
    } finally {
      this.#table.unlock()
    }
  }

  /**
   * Call when a node has ended. If it died in the middle of a step, nothing in the table can be trusted, so it is emptied.
   * Returns whether it was.
   */
  emptyIfLockedBy(nodeNumber: number): boolean {
    if (this.#table.lockedBy() !== nodeNumber) return false
    this.#table.empty()
    return true
  }
}
