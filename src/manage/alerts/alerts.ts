import { isDue } from '../../serve/is-due.ts'
import { formatTime } from '../../vocabulary/clock.ts'
import type { OperatorMessage } from '../../vocabulary/observability/alert-channel.ts'
import type { NodeRecord } from '../../vocabulary/system.ts'
import type { Storage } from '../ports/storage.ts'
import { AlertWatch, type WatchParts } from './alert-watch.ts'
import { AlertDelivery, type DeliveryParts } from './deliver-alerts.ts'
import { type PlatformParts, PlatformWatch } from './platform-watch.ts'
import { AlertRaiser, type RaiseParts } from './raise-alerts.ts'
import { ChannelDelivery, type ChannelParts } from './tell-channels.ts'
import { type UnpricedParts, UnpricedWatch } from './unpriced-watch.ts'

type AlertParts = WatchParts &
  DeliveryParts &
  ChannelParts &
  Omit<RaiseParts, 'watch'> &
  Pick<PlatformParts, 'platform' | 'storage' | 'openOccasions'> & {
    readonly unpricedRoutes: UnpricedParts['openOccasions']
  }

type OpeningParts = Omit<AlertParts, 'lowBalances' | 'unpricedRoutes' | 'openOccasions'> & {
  readonly storage: Pick<Storage, 'loadLowBalances' | 'loadOpenOccasions'>
}

/** Continues from what earlier processes reported, and reports what they missed. */
export async function openAlerts(parts: OpeningParts): Promise<Alerts> {
  const alerts = new Alerts({
    ...parts,
    lowBalances: await parts.storage.loadLowBalances(),
    unpricedRoutes: await parts.storage.loadOpenOccasions('route.unpriced'),
    openOccasions: [
      ...(await parts.storage.loadOpenOccasions('circuit.open')),
      ...(await parts.storage.loadOpenOccasions('sink.failing')),
    ],
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
  readonly #platform: PlatformWatch
  readonly channels: ChannelDelivery
  readonly #parts: AlertParts
  #nextLookMs = Number.NEGATIVE_INFINITY

  constructor(parts: AlertParts) {
    this.#parts = parts
    this.watch = new AlertWatch(parts)
    this.#unpriced = new UnpricedWatch({ ...parts, watch: this.watch, openOccasions: parts.unpricedRoutes })
    this.#raiser = new AlertRaiser({ ...parts, watch: this.watch })
    this.#delivery = new AlertDelivery(parts)
    this.channels = new ChannelDelivery(parts)
    const tellNow = (message: OperatorMessage) => this.channels.tellNow(message)
    this.#platform = new PlatformWatch({ ...parts, watch: this.watch, tellNow })
  }

  /** A node was found dead. */
  noteLostNode({ id, name, startedAtMs }: NodeRecord): void {
    const data = { node: name, node_id: id, started_at: formatTime(startedAtMs) }
    const atMs = this.#parts.clock.nowMs()
    this.watch.note({
      kind: 'node.lost',
      accountId: null,
      subject: id,
      occasion: `node.lost ${id}`,
      atMs,
      data,
    })
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
    await this.lookAtPlatform()
    await this.deliverDue(nowMs)
  }

  raise(): Promise<void> {
    this.#unpriced.look()
    return this.#raiser.raise()
  }

  /** Never rejects. */
  async lookAtPlatform(): Promise<void> {
    // Without the database, the raiser has logged what is wrong.
    await this.#platform.look().catch(() => undefined)
    await this.raise()
  }

  async deliverDue(nowMs: number): Promise<void> {
    await Promise.all([this.#delivery.deliverDue(nowMs), this.channels.deliverDue(nowMs)])
  }

  async stop(): Promise<void> {
    await Promise.all([this.#delivery.stop(), this.channels.stop()])
    await this.raise()
  }
}
