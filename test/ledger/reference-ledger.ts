import type { UsagePeriod } from '../../src/vocabulary/api-key.ts'

/** A usage limit of a key in the reference. */
export interface ReferenceLimit {
  readonly period: UsagePeriod
  readonly amountNano: bigint
}

/**
 * What an account's money must be, computed as plainly as possible: every sum is taken over the list of all that
 * happened. It shares no line with the program.
 */
export class ReferenceLedger {
  creditLineNano: bigint | null = 0n
  limit: ReferenceLimit | null = null
  readonly #entries: bigint[] = []
  readonly #spends: { readonly atMs: number; readonly nano: bigint }[] = []
  readonly #references = new Set<string>()
  readonly #holds = new Map<string, bigint>()

  get balanceNano(): bigint {
    return this.#entries.reduce((sum, each) => sum + each, 0n)
  }

  get openRequests(): readonly string[] {
    return [...this.#holds.keys()]
  }

  /** A payment or refund; one reference counts once. */
  enter(kind: 'payment' | 'refund', reference: string, nano: bigint): void {
    const name = `${kind} ${reference}`
    if (this.#references.has(name)) return
    this.#references.add(name)
    this.#entries.push(kind === 'payment' ? nano : -nano)
  }

  adjust(nano: bigint): void {
    this.#entries.push(nano)
  }

  admit(id: string, holdNano: bigint, nowMs: number): 'admitted' | 'key-spending-limit' | 'balance' {
    const heldNano = [...this.#holds.values()].reduce((sum, each) => sum + each, 0n)
    if (this.limit !== null) {
      const spentNano = this.spentNano(this.limit.period, nowMs)
      const isFull = spentNano >= this.limit.amountNano
      if (isFull || spentNano + heldNano + holdNano > this.limit.amountNano) return 'key-spending-limit'
    }
    const isFree = holdNano === 0n || this.creditLineNano === null
    if (!isFree && this.balanceNano - heldNano + (this.creditLineNano ?? 0n) < holdNano) return 'balance'
    this.#holds.set(id, holdNano)
    return 'admitted'
  }

  settle(id: string, nano: bigint, nowMs: number): void {
    if (!this.#holds.delete(id) || nano === 0n) return
    this.#entries.push(-nano)
    this.#spends.push({ atMs: nowMs, nano })
  }

  /** What was under way is over and costs nothing. */
  crash(): void {
    this.#holds.clear()
  }

  spentNano(period: UsagePeriod, nowMs: number): bigint {
    const start = startOf(period, new Date(nowMs))
    return this.#spends.reduce((sum, { atMs, nano }) => (atMs >= start ? sum + nano : sum), 0n)
  }
}

function startOf(period: UsagePeriod, now: Date): number {
  const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()]
  switch (period) {
    case 'daily':
      return Date.UTC(year, month, day)
    case 'weekly':
      return Date.UTC(year, month, day - ((now.getUTCDay() + 6) % 7))
    case 'monthly':
      return Date.UTC(year, month, 1)
    case 'forever':
      return Number.NEGATIVE_INFINITY
  }
}
