import { isDue } from '../../serve/is-due.ts'
import type { Log } from '../../serve/ports/log.ts'
import type { SharedHolds } from '../../serve/ports/shared-limits.ts'
import type { NodeStore } from '../../serve/ports/shared-storage.ts'
import { type Clock, withTimeout } from '../../vocabulary/clock.ts'
import type { NodeRecord, SeenNode } from '../../vocabulary/system.ts'
import type { Storage } from '../ports/storage.ts'

export interface NodeParts {
  readonly node: NodeRecord
  readonly storage: NodeStore & Pick<Storage, 'unlessRunning'>
  /** null when nodes share only the database. */
  readonly sharedLimits: Pick<SharedHolds, 'releaseNode'> | null
  /** After how long a silent node counts as dead; absent for the default. */
  readonly leaseMs?: number
  readonly clock: Clock
  readonly log: Log
}

/** The limits that this node shares with others. */
export interface LimitsMembership {
  /** Identifies the limits this node shares right now; null while it reaches none. */
  readonly sharedLimitsId: () => string | null
  /** Called when other nodes considered this node dead and may have released its holds: report them again. */
  readonly onReturned: () => void | Promise<void>
}

export const LEASE_MS = 15_000
const HEARTBEAT_MS = 2_000
const LIST_KEPT_MS = 1_000
// A hanging database must not block callers.
const LIST_PATIENCE_MS = 500
const RELEASE_JOB = 'release-nodes'
// After Redis is emptied, nodes may report different ids for a heartbeat or two.
const CONFLICT_HEARTBEATS = 3

/**
 * Sends heartbeats to the database, lists the other nodes, and releases the holds of dead ones.
 *
 * A node whose own heartbeats fail knows nothing about the others. When the database returns, all nodes look dead until
 * their next heartbeat, so a node that was cut off declares no node dead for a whole lease.
 */
export class NodeRegistry {
  readonly node: NodeRecord
  readonly #parts: NodeParts
  readonly #leaseMs: number
  readonly #heartbeatMs: number
  /** null while this node shares no limits. */
  #membership: LimitsMembership | null = null
  #seen: readonly SeenNode[] = []
  #seenAtMs = Number.NEGATIVE_INFINITY
  #listing: Promise<void> | null = null
  #beating: Promise<void> | null = null
  #nextHeartbeatMs = Number.NEGATIVE_INFINITY
  /** The time of the last successful heartbeat; null before the first. */
  #heardAtMs: number | null = null
  #firstHeardAtMs: number | null = null
  /** The start of the current series of heartbeats without a gap. */
  #steadySinceMs = Number.POSITIVE_INFINITY
  #wasCutOff = false
  #isFailing = false
  #isAloneWithOthers = false
  /** Whether this node has ever agreed with all other nodes on the shared limits. */
  #hasAgreed = false
  /** What this node and the elder one report, and since when; they change together when Redis was emptied. */
  #difference: { readonly ids: string; readonly sinceMs: number } | null = null
  #conflict: string | null = null
  /** An older node with another Redis may still be alive: until its next heartbeat or the end of its lease. */
  #isComparing = false
  #isStopped = false

  /** Called for each node that this one has found dead. */
  onLost: ((node: NodeRecord) => void) | null = null

  constructor(parts: NodeParts) {
    this.#parts = parts
    this.#leaseMs = parts.leaseMs ?? LEASE_MS
    // Several heartbeats may get lost before this node counts as dead.
    this.#heartbeatMs = Math.min(HEARTBEAT_MS, this.#leaseMs / 5)
    this.node = parts.node
  }

  /** Registers this node as one that shares limits. */
  start(membership: LimitsMembership | null): Promise<void> {
    this.#membership = membership
    return this.beat()
  }

  /** Call it about once a second. Never rejects. */
  beat(): Promise<void> {
    const isTime = isDue(this.#parts.clock.nowMs(), this.#nextHeartbeatMs, this.#heartbeatMs)
    if (isTime && !this.#isStopped && this.#beating === null) {
      this.#beating = this.#beatNow().finally(() => {
        this.#beating = null
      })
    }
    return this.#beating ?? Promise.resolve()
  }

  /** The ids of all live nodes, this one included. `isFresh` bypasses the cached list. */
  async listLiving(isFresh = false): Promise<string[]> {
    await this.#look(isFresh ? 0 : LIST_KEPT_MS)
    return this.#living().map(({ id }) => id)
  }

  /** All known nodes, silent ones included. */
  async list(): Promise<readonly SeenNode[]> {
    await this.#look()
    const others = this.#seen.filter(({ id }) => id !== this.node.id)
    const own = this.#seen.find(({ id }) => id === this.node.id)
    return [own ?? { ...this.node, sharedLimitsId: null, silentMs: 0 }, ...others]
  }

  /** As of the last read. */
  get livingCount(): number {
    return this.#living().length
  }

  get hasOthers(): boolean {
    return this.livingCount > 1
  }

  /** Whether the last heartbeat reached the database. */
  get isHeard(): boolean {
    return !this.#isFailing
  }

  /**
   * Why this node must not serve: it shares limits with another Redis than older nodes of the same database, so each
   * side would admit up to the limit. The side of the longest-running node goes on. null when all agree.
   */
  get conflict(): string | null {
    return this.#conflict
  }

  /** Why this node must not serve, for now or at all; null when it may. */
  get obstacle(): string | null {
    if (this.#conflict !== null) return this.#conflict
    return this.#isComparing ? 'waiting for a sign of life from an older node with another Redis' : null
  }

  /** Reports which limits this node shares and compares them with the other nodes'. For when it has joined them. */
  async compareSharedLimits(): Promise<void> {
    this.#nextHeartbeatMs = Number.NEGATIVE_INFINITY
    await this.#beating
    await this.beat()
  }

  /**
   * Removes this node's record when it has no holds left. Otherwise other nodes release its holds when its lease ends,
   * and need the record for that.
   */
  async stop({ hasHolds = false } = {}): Promise<void> {
    this.#isStopped = true
    await this.#beating
    if (hasHolds) return
    const { storage, log } = this.#parts
    try {
      await storage.removeNode(this.node.id)
    } catch (error) {
      log.trouble('this node could not remove its record', error)
    }
  }

  async #beatNow(): Promise<void> {
    const { clock, log } = this.#parts
    this.#nextHeartbeatMs = clock.nowMs() + this.#heartbeatMs
    try {
      await this.#sendHeartbeat()
      this.#isFailing = false
    } catch (error) {
      // Logged once per outage, not at every heartbeat.
      if (!this.#isFailing) log.trouble('the heartbeat of this node failed', error)
      this.#isFailing = true
      return
    }
    this.#warnOfOthers()
    this.#noteConflict()
    await this.#releaseDead().catch((error) => log.trouble('a dead node could not be released', error))
  }

  /** Nothing else would reveal this: each node serves, counts only its own requests, and misses payments of others. */
  #warnOfOthers(): void {
    const { sharedLimits, log } = this.#parts
    // Within the first lease, the other node may be the one that this node replaces.
    if (sharedLimits !== null || this.#isAloneWithOthers || !this.mayJudge || !this.hasOthers) return
    this.#isAloneWithOthers = true
    const names = this.#living().map(({ name }) => name)
    const problem = `${names.join(', ')} use one database; limits and balances are shared with REDIS_URL only`
    log.trouble('nodes do not share limits and balances', new Error(problem))
  }

  #noteConflict(): void {
    const { clock, log } = this.#parts
    const own = this.#membership?.sharedLimitsId() ?? null
    if (own === null) return
    const elder = this.#findElderOn(own)
    this.#isComparing = false
    if (elder === null) {
      if (this.#conflict !== null) log.notice('this node shares limits with all others again')
      this.#hasAgreed = true
      this.#difference = null
      this.#conflict = null
      return
    }
    const nowMs = clock.nowMs()
    // Only a heartbeat after this node's start proves that the other node is alive.
    if (elder.silentMs >= nowMs - (this.#firstHeardAtMs ?? nowMs)) {
      this.#isComparing = !this.#hasAgreed
      return
    }
    const ids = `${own} ${elder.sharedLimitsId}`
    if (this.#difference?.ids !== ids) this.#difference = { ids, sinceMs: nowMs }
    const isSettled = nowMs - this.#difference.sinceMs >= CONFLICT_HEARTBEATS * this.#heartbeatMs
    // A node that has not served yet can wait until the others agree.
    if (this.#conflict !== null || (this.#hasAgreed && !isSettled)) return
    this.#conflict =
      `REDIS_URL of this node leads to another Redis database than that of node ${elder.name}, ` +
      'which uses the same database. Give all nodes the same REDIS_URL.'
    log.trouble('this node does not serve', new Error(this.#conflict))
  }

  /** The longest-running node that was heard of just now, if it is not this one and shares its limits elsewhere. */
  #findElderOn(own: string): SeenNode | null {
    // Before it agrees with the others, and once in conflict, a late heartbeat of the other side is no agreement.
    const hasOnlyAgreed = this.#hasAgreed && this.#conflict === null
    const freshMs = hasOnlyAgreed ? 2 * this.#heartbeatMs : this.#leaseMs
    let eldest: SeenNode | null = null
    for (const node of this.#seen) {
      if (node.id === this.node.id || node.sharedLimitsId === null || node.silentMs >= freshMs) continue
      if (isElder(node, eldest ?? this.node)) eldest = node
    }
    return eldest?.sharedLimitsId === own ? null : eldest
  }

  async #sendHeartbeat(): Promise<void> {
    const { storage, clock, log } = this.#parts
    // Before the heartbeat, which adds this node to the list again.
    await this.#list()
    const wasRemoved = this.#heardAtMs !== null && !this.#seen.some(({ id }) => id === this.node.id)
    await storage.saveHeartbeat(this.node, this.#membership?.sharedLimitsId() ?? null)
    const nowMs = clock.nowMs()
    const gapMs = this.#heardAtMs === null ? 0 : nowMs - this.#heardAtMs
    // The gap is unknown when the clock was set back.
    const isGap = gapMs < 0 || gapMs >= this.#leaseMs - this.#heartbeatMs
    if (this.#heardAtMs === null || isGap || wasRemoved) this.#steadySinceMs = nowMs
    if (isGap) this.#wasCutOff = true
    if (nowMs - this.#steadySinceMs >= this.#leaseMs) this.#wasCutOff = false
    this.#heardAtMs = nowMs
    this.#firstHeardAtMs ??= nowMs
    if (!wasRemoved && !isGap) return
    log.notice('this node is back', { node: this.node.id, silentMs: gapMs })
    await this.#membership?.onReturned()
  }

  async #releaseDead(): Promise<void> {
    const { storage } = this.#parts
    if (!this.mayJudge || !this.#seen.some((node) => this.#isDead(node))) return
    await storage.unlessRunning(RELEASE_JOB, async () => {
      // Another node may have released it in the meantime, or the node may be alive again.
      for (const node of await storage.listNodes()) if (this.#isDead(node)) await this.#release(node)
      return true
    })
  }

  /** Whether this node has been heard long enough to tell which others are dead. */
  get mayJudge(): boolean {
    return this.#parts.clock.nowMs() - this.#steadySinceMs >= this.#leaseMs
  }

  async #release(lost: SeenNode): Promise<void> {
    const { sharedLimits, storage, log } = this.#parts
    const { id, name, silentMs } = lost
    // Release holds first: if this fails, the record remains and another node tries again.
    const holds = (await sharedLimits?.releaseNode(id)) ?? 0
    await storage.removeNode(id)
    log.notice('a node has died and its holds are released', { node: id, name, silentMs, holds })
    this.onLost?.(lost)
  }

  #isDead({ id, silentMs }: SeenNode): boolean {
    return id !== this.node.id && silentMs >= this.#leaseMs
  }

  #living(): readonly NodeRecord[] {
    const others = this.#seen.filter((node) => node.id !== this.node.id)
    return [this.node, ...others.filter((node) => this.#wasCutOff || !this.#isDead(node))]
  }

  /** Refreshes the list, unless it is recent or the database does not answer in time. */
  async #look(keptMs = LIST_KEPT_MS): Promise<void> {
    if (!isDue(this.#parts.clock.nowMs(), this.#seenAtMs + keptMs, keptMs)) return
    const ignore = () => undefined
    // The last known list is good enough.
    await withTimeout(LIST_PATIENCE_MS, this.#list().catch(ignore), ignore)
  }

  #list(): Promise<void> {
    this.#listing ??= this.#readList().finally(() => {
      this.#listing = null
    })
    return this.#listing
  }

  async #readList(): Promise<void> {
    const { storage, clock } = this.#parts
    this.#seen = await storage.listNodes()
    this.#seenAtMs = clock.nowMs()
  }
}

function isElder(one: NodeRecord, other: NodeRecord): boolean {
  return one.startedAtMs < other.startedAtMs || (one.startedAtMs === other.startedAtMs && one.id < other.id)
}
