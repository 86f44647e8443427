import type { Settlement } from '../../vocabulary/settlement.ts'

export interface BatchKeeper {
  readonly persist: (settlements: readonly Settlement[]) => Promise<void>
  /** Fails when the database does not answer. */
  readonly ping: () => Promise<void>
  /** Keeps a settlement for a person to look at. */
  readonly setAside: (settlement: Settlement, error: unknown) => void
}

/**
 * Stores a batch. When the database answers but does not take it, each settlement is tried alone, and one that is not
 * taken even then is set aside: a single bad one must not keep all later ones from being stored, at every start anew.
 */
export async function persistBatch(batch: readonly Settlement[], keeper: BatchKeeper): Promise<void> {
  try {
    await keeper.persist(batch)
  } catch {
    await keeper.ping()
    await persistOneByOne(batch, keeper)
  }
}

async function persistOneByOne(batch: readonly Settlement[], keeper: BatchKeeper): Promise<void> {
  for (const settlement of batch) {
    try {
      await keeper.persist([settlement])
    } catch (error) {
      // Only a database that still answers has refused it; one that went away has refused nothing.
      await keeper.ping()
      keeper.setAside(settlement, error)
    }
  }
}
