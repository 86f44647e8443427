import type { Settlement, UsageGroup, UsageSpan } from '../../../vocabulary/settlement.ts'
import { spanStartMs } from '../aggregate.ts'
import { endedAtMs } from '../period.ts'

export interface ErrorTotal {
  readonly startMs: number
  readonly group: UsageGroup
  readonly code: string
  count: number
}

/** How a failed request is counted: its outcome and the supplier's last status, such as `supplier_failed_503`. */
export function errorCode({ outcome, attempts }: Pick<Settlement, 'outcome' | 'attempts'>): string | null {
  if (outcome === 'completed' || outcome === 'client_left') return null
  const status = attempts.findLast((attempt) => attempt.status !== null)?.status
  // The status of an answer that broke off later tells nothing.
  return status === undefined || status === null || status < 400 ? outcome : `${outcome}_${status}`
}

/** Counts failed requests by span, group and code. */
export class ErrorSums {
  readonly #span: UsageSpan
  readonly #totals = new Map<string, ErrorTotal>()

  constructor(span: UsageSpan) {
    this.#span = span
  }

  /** Once, or minus once for a settlement that was removed. */
  add(settlement: Settlement, times: 1 | -1): void {
    const code = errorCode(settlement)
    if (code === null) return
    const { accountId, keyId, model, supplier } = settlement
    const group = { accountId, keyId, model, supplier }
    this.addTotal({ startMs: endedAtMs(settlement), group, code, count: times })
  }

  /** Adds totals of this or a shorter span. */
  addTotal({ startMs: atMs, group, code, count }: ErrorTotal): void {
    const startMs = spanStartMs(this.#span, atMs)
    const place = [startMs, group.accountId, group.keyId, group.model, group.supplier ?? '', code].join('\0')
    const total = this.#totals.get(place)
    if (total === undefined) this.#totals.set(place, { startMs, group, code, count })
    else total.count += count
  }

  /** In a deterministic order. */
  totals(): ErrorTotal[] {
    const inOrder = [...this.#totals].sort(([left], [right]) => (left < right ? -1 : 1))
    return inOrder.map(([, total]) => total)
  }
}
