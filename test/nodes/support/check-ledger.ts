import { expect } from 'bun:test'
import { readStoredLedger } from '../../robustness/support/stored-ledger.ts'
import type { Fleet } from './fleet.ts'

/** Stops every node in order, and compares the answers clients got with the ledger. */
export async function checkLedger(fleet: Fleet, answered: readonly string[]): Promise<void> {
  for (const node of fleet.nodes) node.signal('SIGTERM')
  expect(await Promise.all(fleet.nodes.map((node) => node.exited))).toEqual(fleet.nodes.map(() => 0))
  for (const folder of fleet.folders) {
    const { settlements, ledgerDifference } = await readStoredLedger(folder, fleet.databaseUrl)
    expect(ledgerDifference).toBeNull()
    const completed = settlements
      .filter(({ outcome }) => outcome === 'completed')
      .map(({ requestId }) => requestId)
    expect(new Set(completed).size).toBe(completed.length)
    // A client may have lost an answer that was complete here, but no answer it got may be missing.
    const known = new Set(completed)
    expect(answered.filter((requestId) => !known.has(requestId))).toEqual([])
  }
}
