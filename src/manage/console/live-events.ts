import { isDeepStrictEqual } from 'node:util'
import { GatewayError } from '../../errors/gateway-error.ts'
import { endedAtMs } from '../../rules/ledger/period.ts'
import { viewSettlement } from '../../rules/ledger/view-settlement.ts'
import { isDue } from '../../serve/is-due.ts'
import type { LiveConfiguration } from '../../serve/ports/configuration.ts'
import { type Alert, AlertMessage } from '../../vocabulary/alert.ts'
import type { Snapshot } from '../../vocabulary/runtime/snapshot.ts'
import { type Settlement, SettlementView } from '../../vocabulary/settlement.ts'
import type { Follower, LiveEvent, LiveEventFeed } from '../ports/console.ts'
import type { Storage } from '../ports/storage.ts'

const MAX_OF_ACCOUNT = 50
const MAX_OF_ALL = 2_000
// Pages take a stream that was silent for longer than twice this as lost.
const HEARTBEAT_MS = 2_000
// The maximum delay until the end of a session or membership is noticed.
const LOOK_MS = 2_000

// Accounts with more settlements per second show only the newest; their pages reload the lists anyway. Twice as many fit
// into what a page may leave unread.
const NEWEST = 20

/** What the followers of an account were told since the last beat. */
interface Pace {
  told: number
  /** The newest of those that were too many. The next beat sends them, so that the last ones are never left out. */
  readonly untold: Settlement[]
}

/** Sends the events of an account to its followers. Accounts without followers cost only a lookup. */
export class LiveEvents implements LiveEventFeed {
  readonly #followers = new Map<string, Set<Follower>>()
  readonly #paces = new Map<string, Pace>()
  readonly #elsewhere: SettlementsElsewhere | null
  #count = 0
  #nextBeatMs = 0
  #nextLookMs = 0

  /** Without `elsewhere`, followers get only the settlements of this node. */
  constructor(elsewhere?: ElsewhereParts) {
    this.#elsewhere = elsewhere === undefined ? null : new SettlementsElsewhere(elsewhere)
  }

  get size(): number {
    return this.#count
  }

  follow(follower: Follower): () => void {
    const { accountId } = follower
    const others = this.#followers.get(accountId) ?? new Set()
    if (others.size >= MAX_OF_ACCOUNT || this.#count >= MAX_OF_ALL) {
      throw new GatewayError(
        'rate_limit_exceeded',
        'Too many pages are following this account. Close some of them.',
        {
          headers: { 'retry-after': '30' },
        },
      )
    }
    this.#followers.set(accountId, others.add(follower))
    this.#elsewhere?.begin(accountId)
    this.#count += 1
    return () => this.#remove(follower)
  }

  noteSettlements(settlements: readonly Settlement[]): void {
    if (this.#count === 0) return
    for (const settlement of settlements) {
      if (!this.#followers.has(settlement.accountId)) continue
      if (this.#elsewhere?.note(settlement) !== false) this.#tellInTurn(settlement)
    }
  }

  noteAlert(alert: Alert): void {
    if (alert.accountId !== null)
      this.#tell(alert.accountId, { kind: 'alert', data: AlertMessage.show(alert) })
  }

  noteChange(accountId: string, things: readonly string[]): void {
    this.#tell(accountId, { kind: 'change', data: { things } })
  }

  /** The configuration; its followers are informed when it is replaced. */
  watching(configuration: LiveConfiguration): LiveConfiguration {
    configuration.onReplaced((before, next) => this.#noteReplaced(before, next))
    return configuration
  }

  /** Call it about once a second. Never rejects. */
  async beat(nowMs: number): Promise<void> {
    this.#tellUntold()
    const followers = [...this.#followers.values()].flatMap((some) => [...some])
    if (isDue(nowMs, this.#nextBeatMs, HEARTBEAT_MS)) {
      this.#nextBeatMs = nowMs + HEARTBEAT_MS
      for (const follower of followers) follower.beat()
    }
    await Promise.all([
      this.#elsewhere?.look(nowMs, (settlement) => this.#tellSettlement(settlement)),
      this.#lookWhoIsWelcome(followers, nowMs),
    ])
  }

  async #lookWhoIsWelcome(followers: readonly Follower[], nowMs: number): Promise<void> {
    if (!isDue(nowMs, this.#nextLookMs, LOOK_MS)) return
    this.#nextLookMs = nowMs + LOOK_MS
    await Promise.all(followers.map((follower) => this.#lookAt(follower)))
  }

  endAll(): void {
    for (const follower of [...this.#followers.values()].flatMap((some) => [...some])) this.#letGo(follower)
  }

  #noteReplaced(before: Snapshot, next: Snapshot): void {
    if (this.#count === 0) return
    // Snapshots read again are equal by value, not by identity.
    const areModelsChanged = before.supply !== next.supply && !isDeepStrictEqual(before.supply, next.supply)
    for (const accountId of [...this.#followers.keys()]) {
      const things = changedThings(before, next, accountId)
      if (areModelsChanged) things.push('models')
      if (things.length > 0) this.noteChange(accountId, things)
    }
  }

  async #lookAt(follower: Follower): Promise<void> {
    // Keep the follower when the database does not answer.
    const hasAccess = await follower.hasAccess().catch(() => true)
    if (!hasAccess) this.#letGo(follower)
  }

  /** A batch of hundreds would fill the stream of every page, and end it. */
  #tellInTurn(settlement: Settlement): void {
    const { accountId } = settlement
    const pace = this.#paces.get(accountId) ?? { told: 0, untold: [] }
    this.#paces.set(accountId, pace)
    if (pace.told < NEWEST) {
      pace.told += 1
      this.#tellSettlement(settlement)
      return
    }
    pace.untold.push(settlement)
    if (pace.untold.length > NEWEST) pace.untold.shift()
  }

  #tellUntold(): void {
    const paces = [...this.#paces.values()]
    this.#paces.clear()
    for (const { untold } of paces) for (const settlement of untold) this.#tellSettlement(settlement)
  }

  #tellSettlement(settlement: Settlement): void {
    const data = SettlementView.show(viewSettlement(settlement))
    this.#tell(settlement.accountId, { kind: 'settlement', data })
  }

  #tell(accountId: string, event: LiveEvent): void {
    for (const follower of [...(this.#followers.get(accountId) ?? [])]) {
      if (!follower.take(event)) this.#letGo(follower)
    }
  }

  #letGo(follower: Follower): void {
    this.#remove(follower)
    follower.end()
  }

  #remove(follower: Follower): void {
    const others = this.#followers.get(follower.accountId)
    if (others === undefined || !others.delete(follower)) return
    this.#count -= 1
    if (others.size > 0) return
    this.#followers.delete(follower.accountId)
    this.#elsewhere?.end(follower.accountId)
  }
}

function changedThings(before: Snapshot, next: Snapshot, accountId: string): string[] {
  const things: string[] = []
  if (!isDeepStrictEqual(before.accounts.get(accountId), next.accounts.get(accountId))) things.push('account')
  if (before.keys !== next.keys && hasChangedKey(before, next, accountId)) things.push('keys')
  return things
}

function hasChangedKey(before: Snapshot, next: Snapshot, accountId: string): boolean {
  for (const key of next.keys.values()) {
    if (key.accountId === accountId && !isDeepStrictEqual(before.keys.get(key.id), key)) return true
  }
  return false
}

export interface ElsewhereParts {
  readonly storage: Pick<Storage, 'listSettlements'>
  /** Whether any other node may store settlements. */
  readonly hasOthers: () => boolean
}

const POLLED = 50
const MAX_REMEMBERED = 1_000
// The most accounts to poll per turn; limits the load on the database.
const ACCOUNTS_AT_ONCE = 50
// The tolerated clock difference between nodes.
const SKEW_MS = 5_000

interface Followed {
  /** Null until the first poll. */
  sinceMs: number | null
  /** Requests that were already sent, in this order. */
  readonly told: Set<string>
  /** The result of the last poll: the next poll returns most of it again. */
  listed: ReadonlySet<string>
}

/**
 * Finds settlements that other nodes stored for accounts with followers on this node. Settlements of this node are sent
 * at once; those of other nodes are polled from the database. Nothing is sent twice.
 */
export class SettlementsElsewhere {
  readonly #parts: ElsewhereParts
  readonly #followed = new Map<string, Followed>()
  #isLooking = false

  constructor(parts: ElsewhereParts) {
    this.#parts = parts
  }

  begin(accountId: string): void {
    if (this.#followed.has(accountId)) return
    this.#followed.set(accountId, { sinceMs: null, told: new Set(), listed: new Set() })
  }

  end(accountId: string): void {
    this.#followed.delete(accountId)
  }

  /** Returns true the first time. */
  note({ accountId, requestId }: Settlement): boolean {
    const followed = this.#followed.get(accountId)
    if (followed === undefined) return true
    const { told, listed } = followed
    const isKnown = told.delete(requestId) || listed.has(requestId)
    told.add(requestId)
    const [oldest] = told
    if (told.size > MAX_REMEMBERED && oldest !== undefined) told.delete(oldest)
    return !isKnown
  }

  /** Returns each new settlement once, oldest first. Never rejects. */
  async look(nowMs: number, tell: (settlement: Settlement) => void): Promise<void> {
    for (const followed of this.#followed.values()) followed.sinceMs ??= nowMs - SKEW_MS
    if (this.#isLooking || !this.#parts.hasOthers()) return
    this.#isLooking = true
    try {
      for (const accountId of this.#takeTurn()) await this.#lookAt(accountId, tell)
    } catch {
      // Database failures are logged elsewhere; the next poll finds what this one missed.
    } finally {
      this.#isLooking = false
    }
  }

  /** Rotates the list, so that every account gets its turn. */
  #takeTurn(): string[] {
    const turn = [...this.#followed].slice(0, ACCOUNTS_AT_ONCE)
    for (const [accountId, followed] of turn) {
      this.#followed.delete(accountId)
      this.#followed.set(accountId, followed)
    }
    return turn.map(([accountId]) => accountId)
  }

  async #lookAt(accountId: string, tell: (settlement: Settlement) => void): Promise<void> {
    const { data } = await this.#parts.storage.listSettlements({ accountId }, { limit: POLLED, cursor: null })
    const followed = this.#followed.get(accountId)
    if (followed === undefined) return
    const sinceMs = followed.sinceMs ?? Number.POSITIVE_INFINITY
    for (const settlement of data.toReversed()) {
      if (this.note(settlement) && endedAtMs(settlement) >= sinceMs) tell(settlement)
    }
    followed.listed = new Set(data.map(({ requestId }) => requestId))
  }
}
