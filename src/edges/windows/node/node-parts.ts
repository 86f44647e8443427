import type {
  AdmissionLimits,
  LimitsGenerations,
  NodeNotices,
  PinnedTo,
  SharedHolds,
} from '../../../serve/ports/shared-limits.ts'
import { type Clock, SYSTEM_TIMERS, type Timers } from '../../../vocabulary/clock.ts'
import { AccountLoader, AccountReader, type MoneyStore } from './accounts.ts'
import { LimitsHealer } from './healing.ts'
import { LimitsCircuit } from './limits-circuit.ts'
import { LimitsGeneration } from './limits-generation.ts'
import { LocalShares } from './local-shares.ts'
import { OpenEntries } from './open-entries.ts'
import { SettleQueue, StaleAccounts, StoredSettlements, UpdateSender } from './settlements.ts'
import { MoneyViews, WindowView } from './views.ts'

export interface SharedAdmissionsOptions {
  /** The calls that requests wait for; they may be metered. */
  readonly admissionLimits: AdmissionLimits
  readonly sharedLimits: SharedHolds & LimitsGenerations & NodeNotices
  /** The node that `sharedLimits` was opened for. */
  readonly nodeId: string
  readonly storage: MoneyStore
  readonly clock: Clock
  /** While the limits store does not answer: enforce this node's share of each limit, or refuse. */
  readonly loss: 'local' | 'refuse'
  /** How long an admission waits for nodes to report their holds to an emptied limits store. */
  readonly deadlineMs: number
  /** How long to wait for a live node that does not join a new generation. */
  readonly leaseMs: number
  /** Why this node must refuse every request; null when it need not. */
  readonly refusal?: () => string | null
  /**
   * The ids of all nodes with a heartbeat within their lease, including this one. The list may be a moment old unless
   * `isFresh`.
   */
  readonly listLivingNodes: (isFresh?: boolean) => Promise<readonly string[]>
  /** Whether a key has a spending limit or a budget, so that its totals matter. */
  readonly needsTotals: (keyId: string) => boolean
  /** Returns a unique id. */
  readonly newGeneration: () => string
  readonly onPin: (conversation: string, pin: PinnedTo) => void
  readonly onTrouble: (error: unknown) => void
  readonly timers?: Timers
  /** How many unstored costs of an account are folded into a sum; defaults to 2,000. */
  readonly foldAt?: number
}

export type NodeParts = ReturnType<typeof buildNodeParts>

/** The parts of one node's side of the limits store. */
export function buildNodeParts(options: SharedAdmissionsOptions) {
  const { admissionLimits, sharedLimits, storage, clock, needsTotals, onTrouble } = options
  const timers = options.timers ?? SYSTEM_TIMERS
  const views = new MoneyViews()
  const windowView = new WindowView()
  const shares = new LocalShares(windowView)
  const entries = new OpenEntries(views, options.foldAt)
  const staleAccounts = new StaleAccounts()
  const reader = new AccountReader(storage, views, clock)
  const nowMs = () => clock.nowMs()
  const circuit = new LimitsCircuit({
    timers,
    onTrouble,
    recover: async () => {
      await generation.join()
      await healer.healEverything()
    },
    onClosed: () => {
      healer.sendStale()
      shares.clear(nowMs())
    },
  })
  const generation: LimitsGeneration = new LimitsGeneration({
    ...options,
    timers,
    assertEverything: () => healer.assertEverything(),
  })
  const sender = new UpdateSender({ sharedLimits, circuit, generation, entries, staleAccounts })
  const healing = { admissionLimits, sharedLimits, circuit, reader, entries, staleAccounts, sender }
  const healer = new LimitsHealer({
    ...healing,
    localWindows: shares.windows,
    nowMs,
    needsTotals,
    onTrouble,
  })
  const loader = new AccountLoader({ sharedLimits, circuit, generation, reader })
  const settleQueue = new SettleQueue({ sharedLimits, circuit, staleAccounts, timers })
  const storing = { circuit, reader, views, entries, staleAccounts, sender, shares }
  const storedSettlements = new StoredSettlements({ ...storing, needsTotals, onTrouble })
  return {
    ...options,
    timers,
    views,
    windowView,
    shares,
    entries,
    staleAccounts,
    reader,
    circuit,
    generation,
    sender,
    healer,
    loader,
    settleQueue,
    storedSettlements,
  }
}
