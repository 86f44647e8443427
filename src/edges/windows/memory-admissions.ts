import type { DailySpend } from '../../manage/ports/storage.ts'
import { dayOf, KeySpend } from '../../rules/ledger/period.ts'
import { isOver, remaining, resetSeconds, spend, UNOPENED, type Window } from '../../rules/limits/window.ts'
import type {
  Admissions,
  Choice,
  Decision,
  Demand,
  Growth,
  HoldDecision,
  KeyMoney,
  OpenHolds,
  WindowDemand,
  WindowReading,
} from '../../serve/ports/admissions.ts'
import type { UsageLimit, UsagePeriod } from '../../vocabulary/api-key.ts'
import type { Clock } from '../../vocabulary/clock.ts'
import type { NanoUsdt } from '../../vocabulary/money.ts'
import { decideHold, type Room, roomInLimit } from './decide-hold.ts'
import { findFullWindow } from './shared-windows.ts'

interface AccountMoney {
  balanceNano: NanoUsdt
  heldNano: NanoUsdt
}

interface Hold {
  readonly account: AccountMoney
  readonly key: KeySpend
  amountNano: NanoUsdt
}

const NOTHING_SPENT: KeyMoney = { spentNano: 0n, heldNano: 0n }

// Expired windows are swept now and then, so that memory follows traffic.
const SWEEP_EVERY_DEMANDS = 10_000

/** Limits, holds and balances of a single node. Methods are synchronous, so each is atomic. */
export class MemoryAdmissions implements Admissions {
  readonly #clock: Clock
  readonly #windows = new Map<string, Window>()
  readonly #accounts = new Map<string, AccountMoney>()
  readonly #keys = new Map<string, KeySpend>()
  readonly #holds = new Map<string, Hold>()
  #demandsUntilSweep = SWEEP_EVERY_DEMANDS

  constructor(clock: Clock, balances: ReadonlyMap<string, NanoUsdt> = new Map()) {
    this.#clock = clock
    for (const [accountId, balanceNano] of balances) {
      this.#accounts.set(accountId, { balanceNano, heldNano: 0n })
    }
  }

  admit(demand: Demand): HoldDecision {
    const nowMs = this.#clock.nowMs()
    const fullWindow = findFullWindow(this.#windows, demand.windows, nowMs)
    if (fullWindow !== null) return fullWindow
    const { hold } = demand
    const key = this.#keys.get(demand.keyId) ?? this.#openKey(demand.keyId)
    const account = this.#accounts.get(demand.accountId) ?? this.#openAccount(demand.accountId)
    const { usageLimit, creditLineNano } = hold
    const isBounded = usageLimit !== null || creditLineNano !== null
    const decision = isBounded
      ? decideHold(hold, keyRoom(key, usageLimit, dayOf(nowMs)), balanceRoom(account, creditLineNano))
      : null
    if (decision !== null && decision.reason !== 'partial-hold') return decision
    this.#take(demand.windows, nowMs)
    const amountNano = decision?.heldNano ?? hold.amountNano
    account.heldNano += amountNano
    key.heldNano += amountNano
    this.#holds.set(demand.requestId, { account, key, amountNano })
    return decision
  }

  grow(growth: Growth): boolean {
    const hold = this.#holds.get(growth.requestId)
    if (hold === undefined) return false
    const { creditLineNano, usageLimit } = growth
    const amountNano = growth.amountNano - hold.amountNano
    if (amountNano <= 0n) return true
    const { account, key } = hold
    const inLimit = keyRoom(key, usageLimit, dayOf(this.#clock.nowMs()))
    if (decideHold({ amountNano }, inLimit, balanceRoom(account, creditLineNano)) !== null) return false
    account.heldNano += amountNano
    key.heldNano += amountNano
    hold.amountNano = growth.amountNano
    return true
  }

  settle(requestId: string, amountNano: NanoUsdt, endedAtMs: number): void {
    const hold = this.#holds.get(requestId)
    if (hold === undefined) return
    this.#holds.delete(requestId)
    hold.account.heldNano -= hold.amountNano
    hold.key.heldNano -= hold.amountNano
    hold.account.balanceNano -= amountNano
    if (amountNano !== 0n) hold.key.add(dayOf(endedAtMs), amountNano)
  }

  takeCapacity(windows: readonly WindowDemand[]): Decision {
    if (windows.length === 0) return null
    const nowMs = this.#clock.nowMs()
    const refusal = findFullWindow(this.#windows, windows, nowMs)
    if (refusal === null) this.#take(windows, nowMs)
    return refusal
  }

  takeFirst(options: readonly (readonly WindowDemand[])[]): Choice {
    const retryAfterSeconds: number[] = []
    for (const [taken, windows] of options.entries()) {
      const refusal = this.takeCapacity(windows)
      if (refusal?.reason !== 'window') return { taken }
      retryAfterSeconds.push(refusal.retryAfterSeconds)
    }
    return { taken: null, retryAfterSeconds }
  }

  read(windows: readonly WindowDemand[]): readonly WindowReading[] {
    const nowMs = this.#clock.nowMs()
    const readings: WindowReading[] = []
    for (const { id, metric, limit } of windows) {
      const window = this.#windows.get(id) ?? UNOPENED
      readings.push({
        metric,
        limit,
        remaining: remaining(window, limit, nowMs),
        resetSeconds: resetSeconds(window, nowMs),
      })
    }
    return readings
  }

  catchUp(): void {
    // No-op: this process holds the only copy.
  }

  refresh(): void {
    // No-op: this process holds the only copy.
  }

  hasReachedLimit(keyId: string, limit: UsageLimit): boolean {
    const key = this.#keys.get(keyId) ?? this.#openKey(keyId)
    return key.hasReached(limit, dayOf(this.#clock.nowMs()))
  }

  openHolds(): OpenHolds {
    let heldNano = 0n
    for (const { amountNano } of this.#holds.values()) heldNano += amountNano
    return { count: this.#holds.size, heldNano }
  }

  keyMoney(keyId: string, period: UsagePeriod): KeyMoney {
    // Reading creates no entry, so keys that never spend take no memory.
    const key = this.#keys.get(keyId)
    if (key === undefined) return NOTHING_SPENT
    return { spentNano: key.spentNano(period, dayOf(this.#clock.nowMs())), heldNano: key.heldNano }
  }

  balanceNano(accountId: string): NanoUsdt {
    return this.#accounts.get(accountId)?.balanceNano ?? 0n
  }

  credit(accountId: string, amountNano: NanoUsdt): void {
    const account = this.#accounts.get(accountId) ?? this.#openAccount(accountId)
    account.balanceNano += amountNano
  }

  /** Adds what a key spent before this process started. */
  loadKeySpend(keyId: string, spends: readonly DailySpend[]): void {
    // Keep the same object, because requests under way have holds on it.
    const key = this.#keys.get(keyId) ?? this.#openKey(keyId)
    for (const { day, amountNano } of spends) key.learn(day, amountNano)
  }

  #take(windows: readonly WindowDemand[], nowMs: number): void {
    for (const { id, amount } of windows) {
      this.#windows.set(id, spend(this.#windows.get(id) ?? UNOPENED, amount, nowMs))
    }
    if (--this.#demandsUntilSweep === 0) this.#sweep(nowMs)
  }

  #sweep(nowMs: number): void {
    this.#demandsUntilSweep = SWEEP_EVERY_DEMANDS
    for (const [id, window] of this.#windows) {
      if (isOver(window, nowMs)) this.#windows.delete(id)
    }
  }

  #openAccount(accountId: string): AccountMoney {
    const created = { balanceNano: 0n, heldNano: 0n }
    this.#accounts.set(accountId, created)
    return created
  }

  #openKey(keyId: string): KeySpend {
    const created = new KeySpend()
    this.#keys.set(keyId, created)
    return created
  }
}

function keyRoom(key: KeySpend, limit: UsageLimit | null, today: number): Room {
  if (limit === null) return null
  return roomInLimit(limit.amountNano, key.spentNano(limit.period, today), key.heldNano)
}

function balanceRoom({ balanceNano, heldNano }: AccountMoney, creditLineNano: NanoUsdt | null): Room {
  return creditLineNano === null ? null : balanceNano - heldNano + creditLineNano
}
