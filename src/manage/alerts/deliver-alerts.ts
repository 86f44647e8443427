import { MOST_TRIES, retryDelayMs, signWebhook } from '../../rules/alerts/alert-rules.ts'
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

// Slow receivers must not keep the others waiting, nor may a flood of alerts become a flood of connections.
const MOST_AT_ONCE = 20
// Longer than any try takes: a process that dies in the middle of one delays it by this much.
const CLAIM_MS = 60_000

/** Tells webhooks what is due. Of several processes on one database each try is made by one. */
export class AlertDelivery {
  readonly #parts: DeliveryParts
  readonly #underWay = new Set<Promise<void>>()
  readonly #ending = new AbortController()
  #isFailing = false

  constructor(parts: DeliveryParts) {
    this.#parts = parts
  }

  /** Tries what is due. Resolves when no try is under way; never fails. */
  async deliverDue(nowMs: number): Promise<void> {
    const room = MOST_AT_ONCE - this.#underWay.size
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

  /** Calls off what is under way; it is tried again when its claim has run out. */
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
    // Each of them was begun by a process that did not live to see its end; so might this one be.
    if (tries >= MOST_TRIES) return { state: 'failed', failure: 'None of the tries came to an end.' }
    const webhook = alert.accountId === null ? null : await storage.findWebhook(alert.accountId)
    if (webhook?.enabled !== true) {
      return { state: 'none', failure: 'The webhook was removed or switched off.' }
    }
    // The same bytes at every try, so that a receiver can tell what it has seen.
    const body = JSON.stringify(AlertMessage.show(alert))
    const signature = signWebhook(body, webhook.secret, clock.nowMs())
    const failure = await send({ url: webhook.url, body, signature, signal: this.#ending.signal })
    if (failure === null) return { state: 'delivered' }
    const delayMs = retryDelayMs(tries + 1, random)
    if (delayMs === null) return { state: 'failed', failure }
    return { state: 'pending', dueAtMs: clock.nowMs() + delayMs, failure }
  }
}
