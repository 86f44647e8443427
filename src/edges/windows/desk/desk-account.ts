import type { PinnedTo } from '../../../serve/ports/common-desk.ts'
import { DeskMoney } from './desk-money.ts'
import { DeskWindows } from './desk-windows.ts'
import { ExpiringMap } from './expiring-map.ts'

/** What a desk keeps of one account. */
export class DeskAccount {
  readonly money = new DeskMoney()
  readonly windows = new DeskWindows()
  readonly pins = new ExpiringMap<PinnedTo>()
  readonly notes = new ExpiringMap<string>()

  sweep(nowMs: number): void {
    this.windows.sweep(nowMs)
    this.pins.sweep(nowMs)
    this.notes.sweep(nowMs)
  }
}
