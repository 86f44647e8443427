import type { BackgroundRules } from '../../../protocols/state-rules.ts'
import type { Gateway } from '../../gateway.ts'
import type { ReplyKey, ReplyObject } from '../../ports/state/background-store.ts'

export interface CurrentParts {
  readonly rules: BackgroundRules
  readonly gateway: Pick<Gateway, 'replies' | 'clock'>
}

/** A stored reply as it is now, also while it is made in the background; null when there is none. */
export async function findCurrent(key: ReplyKey, parts: CurrentParts): Promise<ReplyObject | null> {
  const { rules, gateway } = parts
  const stored = await readStored(key, parts)
  if (stored === null || !rules.isUnfinished(stored)) return stored
  const run = await gateway.replies.findBackground(key)
  // Deleted in the meantime.
  if (run === null) return null
  if (run.runningOn !== null) return rules.withStatus(stored, run.status)
  // A completed reply has taken the place of the queued one, at the latest by now.
  return (await gateway.replies.findEnding(key)) ?? readStored(key, parts)
}

function readStored({ accountId, id }: ReplyKey, { gateway }: CurrentParts): Promise<ReplyObject | null> {
  return gateway.replies.findReplyObject(accountId, id, gateway.clock.nowMs())
}
