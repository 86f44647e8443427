import type { Settlement } from '../../vocabulary/settlement.ts'

export interface BatchKeeper {
  readonly persist: (settlements: readonly Settlement[]) => Promise<void>
  /** Whether the database will never take what it was given. Any other failure may be over at the next try. */
  readonly isRefusal: (error: unknown) => boolean
  /** Keeps a settlement for a person to look at. */
  readonly setAside: (settlement: Settlement, error: unknown) => void
}

/**
 * Stores a batch. When the database refuses it, each settlement is tried alone, and those that are refused even then
 * are set aside: a single bad one must not keep all later ones from being stored, at every start anew.
 */
export async function persistBatch(batch: readonly Settlement[], keeper: BatchKeeper): Promise<void> {
  try {
    await keeper.persist(batch)
  } catch (error) {
    if (!keeper.isRefusal(error)) throw error
    await persistOneByOne(batch, keeper)
  }
}

async function persistOneByOne(batch: readonly Settlement[], keeper: BatchKeeper): Promise<void> {
  const refused: { readonly settlement: Settlement; readonly error: unknown }[] = []
  for (const settlement of batch) {
    try {
      await keeper.persist([settlement])
    } catch (error) {
      if (!keeper.isRefusal(error)) throw error
      refused.push({ settlement, error })
    }
  }
  // Only now: a failure on the way means that all of the batch comes again, and each is to be set aside once.
  for (const { settlement, error } of refused) keeper.setAside(settlement, error)
}
