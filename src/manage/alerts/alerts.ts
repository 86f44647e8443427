import { isDue } from '../../serve/is-due.ts'
import type { Storage } from '../ports/storage.ts'
import { AlertWatch, type WatchParts } from './alert-watch.ts'
import { AlertDelivery, type DeliveryParts } from './deliver-alerts.ts'
import { AlertRaiser, type RaiseParts } from './raise-alerts.ts'

type AlertParts = WatchParts & DeliveryParts & Omit<RaiseParts, 'watch'>

type OpeningParts = Omit<AlertParts, 'lowBalances'> & { readonly storage: Pick<Storage, 'loadLowBalances'> }

/** Goes on from what earlier processes have said, and sees at once what they did not live to say. */
export async function openAlerts(parts: OpeningParts): Promise<Alerts> {
  const alerts = new Alerts({ ...parts, lowBalances: await parts.storage.loadLowBalances() })
  alerts.watch.lookAtAll()
  return alerts
}

// What another process raised, or a try that has come due, waits no longer than this.
const LOOK_EVERY_MS = 5_000

/** Alerts from seeing to telling. Requests only ever touch the watch; all the rest is done at its beats. */
export class Alerts {
  readonly watch: AlertWatch
  readonly #raiser: AlertRaiser
  readonly #delivery: AlertDelivery
  readonly #parts: AlertParts
  #nextLookMs = Number.NEGATIVE_INFINITY

  constructor(parts: AlertParts) {
    this.#parts = parts
    this.watch = new AlertWatch(parts)
    this.#raiser = new AlertRaiser({ ...parts, watch: this.watch })
    this.#delivery = new AlertDelivery(parts)
  }

  /** To be called every now and then. Resolves when what it began has ended; never fails. */
  async beat(): Promise<void> {
    const nowMs = this.#parts.clock.nowMs()
    if (this.watch.first !== undefined) {
      await this.raise()
      this.#nextLookMs = nowMs
    }
    if (!isDue(nowMs, this.#nextLookMs, LOOK_EVERY_MS)) return
    this.#nextLookMs = nowMs + LOOK_EVERY_MS
    await this.deliverDue(nowMs)
  }

  raise(): Promise<void> {
    return this.#raiser.raise()
  }

  deliverDue(nowMs: number): Promise<void> {
    return this.#delivery.deliverDue(nowMs)
  }

  async stop(): Promise<void> {
    await this.#delivery.stop()
    await this.raise()
  }
}
