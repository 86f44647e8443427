import { GatewayError } from '../../../errors/gateway-error.ts'
import type { BackgroundRules } from '../../../protocols/state-rules.ts'
import { interruptedSettlement } from '../../../rules/ledger/journal-line.ts'
import type { Settlement } from '../../../vocabulary/settlement.ts'
import type { Journal } from '../../ports/journal.ts'
import type { BackgroundReply, BackgroundStore } from '../../ports/state/background-store.ts'
import type { ReplyStore } from '../../ports/state/reply-store.ts'

export interface LostReplyParts {
  readonly rules: BackgroundRules
  readonly storage: Pick<BackgroundStore, 'listLost' | 'endBackground'> &
    Pick<ReplyStore, 'findReplyObject'> & {
      findSettlement(requestId: string): Promise<Settlement | null>
    }
  readonly journal: Pick<Journal, 'settle'>
  livingNodes(): Promise<readonly string[]>
}

// Few at a time, so that no other work waits long.
const PORTION = 50

/**
 * Ends the background replies of nodes that are gone, as failed. Each has a settlement: the one in the journal of its node,
 * or until that is found an interrupted one that charges nothing. Returns how many there were.
 */
export async function endLostReplies({
  rules,
  storage,
  journal,
  livingNodes,
}: LostReplyParts): Promise<number> {
  const lost = await storage.listLost(await livingNodes(), PORTION)
  if (lost.length === 0) return 0
  // A node may have joined after the first list was read, and begun a reply before the second was.
  const living = new Set<string | null>(await livingNodes())
  const dead = lost.filter(({ runningOn }) => !living.has(runningOn))
  for (const reply of dead) {
    // First: a node that dies here leaves the reply to be found again.
    if ((await storage.findSettlement(reply.admission.requestId)) === null)
      await journal.settle(interruptedSettlement(reply.admission))
    await endLost(reply, rules, storage)
  }
  return dead.length
}

async function endLost(
  { accountId, id, runningOn }: BackgroundReply,
  rules: BackgroundRules,
  storage: LostReplyParts['storage'],
): Promise<void> {
  if (runningOn === null) return
  // One that cannot be decrypted must not keep the others waiting.
  const stored = await storage.findReplyObject(accountId, id, 0).catch(() => null)
  const error = new GatewayError('internal_error', 'The gateway stopped before this response was complete.')
  const reply = rules.failed(stored ?? { id }, error)
  await storage.endBackground({ accountId, id, nodeId: runningOn }, { status: 'failed', reply })
}
