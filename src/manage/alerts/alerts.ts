import { isDue } from '../../serve/is-due.ts'
import type { Storage } from '../ports/storage.ts'
import { AlertWatch, type WatchParts } from './alert-watch.ts'
import { AlertDelivery, type DeliveryParts } from './deliver-alerts.ts'
import { AlertRaiser, type RaiseParts } from './raise-alerts.ts'
import { type UnpricedParts, UnpricedWatch } from './unpriced-watch.ts'

type AlertParts = WatchParts &
  DeliveryParts &
  Omit<RaiseParts, 'watch'> & { readonly unpricedRoutes: UnpricedParts['openOccasions'] }

type OpeningParts = Omit<AlertParts, 'lowBalances' | 'unpricedRoutes'> & {
  readonly storage: Pick<Storage, 'loadLowBalances' | 'loadOpenOccasions'>
}

/** Continues from what earlier processes reported, and reports what they missed. */
export async function openAlerts(parts: OpeningParts): Promise<Alerts> {
  const alerts = new Alerts({
    ...parts,
    lowBalances: await parts.storage.loadLowBalances(),
    unpricedRoutes: await parts.storage.loadOpenOccasions('route.unpriced'),
  })
  alerts.watch.lookAtAll()
  return alerts
}

// The maximum delay for alerts of other processes and for due retries.
const LOOK_EVERY_MS = 5_000

/** Detects, stores and delivers alerts. Requests only touch the watch; the rest runs in the background. */
export class Alerts {
  readonly watch: AlertWatch
  readonly #unpriced: UnpricedWatch
  readonly #raiser: AlertRaiser
  readonly #delivery: AlertDelivery
  readonly #parts: AlertParts
  #nextLookMs = Number.NEGATIVE_INFINITY

  constructor(parts: AlertParts) {
    this.#parts = parts
    this.watch = new AlertWatch(parts)
    this.#unpriced = new UnpricedWatch({ ...parts, watch: this.watch, openOccasions: parts.unpricedRoutes })
    this.#raiser = new AlertRaiser({ ...parts, watch: this.watch })
    this.#delivery = new AlertDelivery(parts)
  }

  /** Call it regularly. Resolves when its work is done; never rejects. */
  async beat(): Promise<void> {
    const nowMs = this.#parts.clock.nowMs()
    this.#unpriced.look()
    if (this.watch.first !== undefined) {
      await this.raise()
      this.#nextLookMs = nowMs
    }
    if (!isDue(nowMs, this.#nextLookMs, LOOK_EVERY_MS)) return
    this.#nextLookMs = nowMs + LOOK_EVERY_MS
    await this.deliverDue(nowMs)
  }

  raise(): Promise<void> {
    this.#unpriced.look()
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
