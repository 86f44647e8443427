import type { Database } from '../../engines/database.ts'
import type { StoreContext } from '../../store.ts'
import { removeBackground } from './background-rows.ts'
import { findLeastUsed, releaseConversation } from './conversation-rows.ts'
import { addStoredBytes, findOldestTurn, releaseTurn } from './reply-turns.ts'

const PORTION = 50

interface Eviction {
  readonly accountId: string
  /** The turn or the conversation that was just written. */
  readonly spared: string
}

/** Makes room for what an account has just stored. In small portions, so that no other write waits long. */
export async function evictStored(
  { database, nextTurn }: StoreContext,
  eviction: Eviction,
  maxBytes: number,
): Promise<void> {
  while (!(await database.transaction((tx) => evictPortion(tx, eviction, maxBytes)))) await nextTurn()
}

/**
 * Deletes the oldest replies that no other reply continues, and the conversations used least recently, until the rest
 * is within the bounds. A chain of replies is deleted from its end to its start, and the most recent one last. False
 * when there is more to do.
 */
async function evictPortion(
  tx: Database,
  { accountId, spared }: Eviction,
  maxBytes: number,
): Promise<boolean> {
  let bytes = await addStoredBytes(tx, accountId, 0)
  for (let evicted = 0; evicted < PORTION; evicted += 1) {
    if (bytes <= maxBytes) return true
    const turn = await findOldestTurn(tx, accountId, spared)
    const conversation = await findLeastUsed(tx, accountId, spared)
    if (turn !== null && (conversation === null || turn.createdAtMs <= conversation.atMs)) {
      bytes = await releaseTurn(tx, turn)
      const eventBytes = await removeBackground(tx, { accountId, id: turn.replyId })
      if (eventBytes > 0) bytes = await addStoredBytes(tx, accountId, -eventBytes)
    } else if (conversation !== null) {
      bytes = (await releaseConversation(tx, accountId, conversation.id)) ?? bytes
    } else return true
  }
  return false
}
