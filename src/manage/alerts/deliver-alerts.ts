import { MAX_TRIES, retryDelayMs, signWebhook } from '../../rules/alerts/alert-rules.ts'
import type { Log } from '../../serve/ports/log.ts'
import { AlertMessage } from '../../vocabulary/alert.ts'
import type { Clock } from '../../vocabulary/clock.ts'
import type { DeliveryEnd, DueDelivery, SendWebhook } from '../ports/alerts.ts'
import type { Storage } from '../ports/storage.ts'

export interface DeliveryParts {
  readonly storage: Pick<Storage, 'loadDueDeliveries' | 'claimDelivery' | 'endDelivery' | 'findWebhook'>
  readonly send: SendWebhook
  readonly clock: Clock
  /** From 0 up to 1, for the jitter. */
  readonly random: () => number
  readonly log: Log
}

// Limits connections, while slow receivers do not delay others.
const MAX_AT_ONCE = 20
// Longer than any try takes. A try whose process died is repeated after this time.
const CLAIM_MS = 60_000

/** Delivers due alerts to webhooks. Of several processes on one database, one makes each try. */
export class AlertDelivery {
  readonly #parts: DeliveryParts
  readonly #underWay = new Set<Promise<void>>()
  readonly #ending = new AbortController()
  #isFailing = false

  constructor(parts: DeliveryParts) {
    this.#parts = parts
  }

  /** Tries what is due. Resolves when no try is in flight; never rejects. */
  async deliverDue(nowMs: number): Promise<void> {
    const room = MAX_AT_ONCE - this.#underWay.size
    if (room <= 0 || this.#ending.signal.aborted) return
    try {
      const due = await this.#parts.storage.loadDueDeliveries(nowMs, room)
      await Promise.all(due.map((each) => this.#begin(each)))
      this.#isFailing = false
    } catch (error) {
      if (!this.#isFailing) this.#parts.log.trouble('alerts cannot be delivered for now', error)
      this.#isFailing = true
    }
    await Promise.allSettled(this.#underWay)
  }

  /** Aborts the tries in flight; they are repeated when their claims expire. */
  async stop(): Promise<void> {
    this.#ending.abort()
    await Promise.allSettled(this.#underWay)
  }

  #begin(due: DueDelivery): Promise<void> {
    const work = this.#deliver(due).finally(() => this.#underWay.delete(work))
    this.#underWay.add(work)
    return work
  }

  async #deliver(due: DueDelivery): Promise<void> {
    const { storage, clock } = this.#parts
    if (!(await storage.claimDelivery(due, clock.nowMs() + CLAIM_MS))) return
    const end = await this.#try(due)
    if (!this.#ending.signal.aborted) await storage.endDelivery(due, end)
  }

  async #try({ alert, tries }: DueDelivery): Promise<DeliveryEnd> {
    const { storage, send, clock, random } = this.#parts
    // All tries were begun by processes that died; do not start another.
    if (tries >= MAX_TRIES) return { state: 'failed', failure: 'No try was completed.' }
    const webhook = alert.accountId === null ? null : await storage.findWebhook(alert.accountId)
    if (webhook?.enabled !== true) {
      return { state: 'none', failure: 'The webhook was removed or switched off.' }
    }
    // Every try sends the same bytes, so that receivers can detect duplicates.
    const body = JSON.stringify(AlertMessage.show(alert))
    const signature = signWebhook(body, webhook.secret, clock.nowMs())
    const failure = await send({ url: webhook.url, body, signature, signal: this.#ending.signal })
    if (failure === null) return { state: 'delivered' }
    const delayMs = retryDelayMs(tries + 1, random)
    if (delayMs === null) return { state: 'failed', failure }
    return { state: 'pending', dueAtMs: clock.nowMs() + delayMs, failure }
  }
}
