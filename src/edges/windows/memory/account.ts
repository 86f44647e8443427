import type { PinnedTo } from '../../../serve/ports/shared-limits.ts'
import { ExpiringMap } from './expiring-map.ts'
import { SharedMoney } from './money.ts'
import { SharedWindows } from './windows.ts'

/** What a limits store keeps of one account. */
export class SharedAccount {
  readonly money = new SharedMoney()
  readonly windows = new SharedWindows()
  readonly pins = new ExpiringMap<PinnedTo>()
  readonly notes = new ExpiringMap<string>()

  sweep(nowMs: number): void {
    this.windows.sweep(nowMs)
    this.pins.sweep(nowMs)
    this.notes.sweep(nowMs)
  }
}
