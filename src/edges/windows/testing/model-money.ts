import type { HoldDecision, HoldDemand } from '../../../serve/ports/admissions.ts'
import type { AccountUpdate, OpenHold } from '../../../serve/ports/shared-limits.ts'
import type { KeyTotals } from '../../../serve/ports/shared-storage.ts'
import type { NanoUsdt } from '../../../vocabulary/money.ts'
import { decideHold, type Room, roomInLimit } from '../decide-hold.ts'
import { begunBy, newerTotals, spentIn } from '../key-totals.ts'

type NodeHolds = Map<string, OpenHold>

interface DecisionFacts {
  readonly ownNano: NanoUsdt
  readonly today: number
}

/** The money of one account: its balance, the spending of its keys, and the holds of every node. */
export class ModelMoney {
  /** The generation in which the account was loaded; null before that. */
  loadedIn: string | null = null
  balanceNano: NanoUsdt = 0n
  version = -1n
  heldNano: NanoUsdt = 0n
  readonly #heldByKey = new Map<string, NanoUsdt>()
  readonly #totals = new Map<string, KeyTotals>()
  readonly #loadedKeys = new Set<string>()
  readonly #holds = new Map<string, NodeHolds>()

  knowsKey(keyId: string): boolean {
    return this.#loadedKeys.has(keyId)
  }

  /** `ownNano`: what the request already holds, which is room for it. */
  decide(keyId: string, hold: HoldDemand, { ownNano, today }: DecisionFacts): HoldDecision {
    const { creditLineNano, usageLimit } = hold
    let keyRoom: Room = null
    if (usageLimit !== null) {
      const spentNano = spentIn(this.#totals.get(keyId), usageLimit.period, today)
      keyRoom = roomInLimit(usageLimit.amountNano, spentNano, this.heldOn(keyId) - ownNano)
    }
    const balanceRoom =
      creditLineNano === null ? null : this.balanceNano - this.heldNano + ownNano + creditLineNano
    return decideHold(hold, keyRoom, balanceRoom)
  }

  heldBy(nodeId: string, requestId: string): NanoUsdt | null {
    return this.#holds.get(nodeId)?.get(requestId)?.amountNano ?? null
  }

  place(nodeId: string, hold: OpenHold): void {
    const { requestId, keyId, amountNano } = hold
    this.remove(nodeId, requestId)
    this.#ofNode(nodeId).set(requestId, { requestId, keyId, amountNano })
    this.#count(keyId, amountNano)
  }

  settle(nodeId: string, settled: readonly OpenHold[]): void {
    for (const hold of settled) {
      if (this.#holds.get(nodeId)?.has(hold.requestId)) this.place(nodeId, hold)
    }
  }

  learn(nodeId: string, { stored, balance, keys, isLoad }: AccountUpdate, today: number): void {
    for (const requestId of stored) this.remove(nodeId, requestId)
    if (balance !== null && balance.version > this.version) {
      this.balanceNano = balance.balanceNano
      this.version = balance.version
    }
    for (const totals of keys) {
      const begun = begunBy(today, totals)
      this.#totals.set(totals.keyId, newerTotals(this.#totals.get(totals.keyId), begun))
      if (isLoad) this.#loadedKeys.add(totals.keyId)
    }
  }

  assert(nodeId: string, holds: readonly OpenHold[], unsure: readonly string[]): void {
    const kept = new Set(unsure)
    for (const hold of holds) kept.add(hold.requestId)
    for (const requestId of [...(this.#holds.get(nodeId)?.keys() ?? [])]) {
      if (!kept.has(requestId)) this.remove(nodeId, requestId)
    }
    for (const hold of holds) this.place(nodeId, hold)
  }

  /** Unloads the account too: the node may have stored costs that it did not report. */
  release(nodeId: string): number {
    const requestIds = [...(this.#holds.get(nodeId)?.keys() ?? [])]
    if (requestIds.length === 0) return 0
    for (const requestId of requestIds) this.remove(nodeId, requestId)
    this.loadedIn = null
    this.#totals.clear()
    this.#loadedKeys.clear()
    return requestIds.length
  }

  remove(nodeId: string, requestId: string): void {
    const ofNode = this.#holds.get(nodeId)
    const hold = ofNode?.get(requestId)
    if (ofNode === undefined || hold === undefined) return
    ofNode.delete(requestId)
    if (ofNode.size === 0) this.#holds.delete(nodeId)
    this.#count(hold.keyId, -hold.amountNano)
  }

  holdsOf(nodeId: string): OpenHold[] {
    return [...(this.#holds.get(nodeId)?.values() ?? [])]
  }

  heldOn(keyId: string): NanoUsdt {
    return this.#heldByKey.get(keyId) ?? 0n
  }

  totalsOf(keyId: string): KeyTotals | null {
    return this.#totals.get(keyId) ?? null
  }

  #ofNode(nodeId: string): NodeHolds {
    const known = this.#holds.get(nodeId)
    if (known !== undefined) return known
    const created: NodeHolds = new Map()
    this.#holds.set(nodeId, created)
    return created
  }

  #count(keyId: string, changeNano: NanoUsdt): void {
    this.heldNano += changeNano
    const ofKey = (this.#heldByKey.get(keyId) ?? 0n) + changeNano
    if (ofKey === 0n) this.#heldByKey.delete(keyId)
    else this.#heldByKey.set(keyId, ofKey)
  }
}
