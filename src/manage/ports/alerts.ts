import type { Alert, AlertFilter, AlertKind, AlertRecord, Webhook } from '../../vocabulary/alert.ts'
import type { Settlement } from '../../vocabulary/settlement.ts'
import type { AuditEvent } from '../../vocabulary/system.ts'
import type { Listing, Page } from './page.ts'

/** Told of every movement of money in the request path. Only takes note: nothing here waits for anything. */
export interface SpendWatch {
  noteSettled(settlement: Settlement): void
  /** A request was refused because of the key's usage limit. */
  noteKeyRefused(keyId: string): void
}

/** An alert that waits to be told, with the number of tries there were. */
export interface DueDelivery {
  readonly alert: Alert
  readonly tries: number
}

/** How a try ended: told, to be tried again, or given up. */
export type DeliveryEnd =
  | { readonly state: 'delivered' }
  | { readonly state: 'pending'; readonly dueAtMs: number; readonly failure: string }
  | { readonly state: 'failed' | 'none'; readonly failure: string }

export interface AlertStore {
  /**
   * Puts an alert on record, due to be told when its account has a webhook. False, and without an event, when there
   * is one of the same occasion.
   */
  raiseAlert(alert: Alert, event: AuditEvent): Promise<boolean>
  /** Lets an occasion be one again. The channels that were told of it are told that it is over. */
  endOccasion(occasion: string, atMs: number): Promise<void>
  /** The accounts whose low balance was said and has not ended. */
  loadLowBalances(): Promise<readonly string[]>
  /** Occasions of this kind that were reported and have not ended. */
  loadOpenOccasions(kind: AlertKind): Promise<readonly string[]>
  /** Newest first. */
  listAlerts(filter: AlertFilter, page: Page): Promise<Listing<AlertRecord>>

  /** The longest waiting first. */
  loadDueDeliveries(nowMs: number, atMost: number): Promise<readonly DueDelivery[]>
  /** Counts a try and keeps others from it until the time is over; false when another process was first. */
  claimDelivery(due: DueDelivery, untilMs: number): Promise<boolean>
  /** Writes how a claimed try ended, unless its claim has run out and another process has begun the next. */
  endDelivery(due: DueDelivery, end: DeliveryEnd): Promise<void>

  /** Inserts or replaces; the secret is sealed on the way in. */
  saveWebhook(webhook: Webhook, event: AuditEvent): Promise<void>
  findWebhook(accountId: string): Promise<Webhook | null>
  deleteWebhook(accountId: string, event: AuditEvent): Promise<void>
}

export interface WebhookCall {
  readonly url: string
  readonly body: string
  readonly signature: string
  readonly signal: AbortSignal
  /** Headers beside those of every call, or in their place. */
  readonly headers?: Readonly<Record<string, string>>
}

/** Null when the receiver took it; otherwise why not, in one sentence that is safe to show. Never fails. */
export type SendWebhook = (call: WebhookCall) => Promise<string | null>
