export const ALERT_KINDS = [
  'budget.threshold',
  'key.limit_reached',
  'balance.low',
  'credential.disabled',
] as const
export type AlertKind = (typeof ALERT_KINDS)[number]

/** Something that happened and that somebody should hear of. */
export interface Notice {
  readonly kind: AlertKind
  /** Whom it concerns; null: operators only. */
  readonly accountId: string | null
  /** The id of the key, account or credential it is about. */
  readonly subject: string
  /** What is said of one occasion is said once, by whichever process; null when each time is an occasion of its own. */
  readonly occasion: string | null
  readonly atMs: number
  /** What the receiver is told, ready to be written as JSON. Never holds a secret. */
  readonly data: Readonly<Record<string, unknown>>
}

/** A notice that was put on record. */
export interface Alert extends Notice {
  readonly id: string
}

export const DELIVERY_STATES = ['none', 'pending', 'delivered', 'failed'] as const
/** What became of telling the account's webhook; `none` when there was none to tell. */
export type DeliveryState = (typeof DELIVERY_STATES)[number]

export interface Delivery {
  readonly state: DeliveryState
  /** How often it was tried, the present try included. */
  readonly tries: number
  /** When the next try is due; null when there will be none. */
  readonly dueAtMs: number | null
  /** Why the last try failed, in one sentence; null when none has. */
  readonly lastFailure: string | null
}

export interface AlertRecord {
  readonly alert: Alert
  readonly delivery: Delivery
}

/** Where an account wants to be told. */
export interface Webhook {
  readonly accountId: string
  readonly url: string
  readonly enabled: boolean
  /** What its calls are signed with. */
  readonly secret: string
  readonly createdAtMs: number
}
