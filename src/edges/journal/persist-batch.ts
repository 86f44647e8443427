import type { Settlement } from '../../vocabulary/settlement.ts'

export interface BatchKeeper {
  readonly persist: (settlements: readonly Settlement[]) => Promise<void>
  /** Whether the database will never accept the settlement. Other failures may be temporary. */
  readonly isRefusal: (error: unknown) => boolean
  /** Keeps a settlement for an operator to inspect. */
  readonly setAside: (settlement: Settlement, error: unknown) => void
}

/**
 * Stores a batch. If the database refuses it, each settlement is stored alone, and those that are refused again are set
 * aside: a single bad settlement must not block all later ones at every start.
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
  // Only now: after an earlier failure the whole batch is retried, and each must be set aside once.
  for (const { settlement, error } of refused) keeper.setAside(settlement, error)
}

/** SQLite blocks this process for milliseconds per batch, so pending requests run before the next one. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
