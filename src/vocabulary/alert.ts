import { Type } from 'typebox'
import { choice, flag, id, integer, json, text, time } from './field.ts'
import { shape, type Value } from './shape.ts'
import { ALERT_KINDS } from './words.ts'

export type AlertKind = (typeof ALERT_KINDS)[number]

/** An event that an account or operator should be informed about. */
const Notice = shape('Notice', {
  kind: choice(ALERT_KINDS),
  accountId: id('acc').nullable().note('The account it concerns; null for operators only.'),
  /** The id of the key, account or credential that it is about. */
  subject: text(),
  /** Notices with the same occasion are raised once, whichever process raises them; null: always raise it. */
  occasion: text().nullable(),
  atMs: time(),
  /** The content for the receiver, ready to be written as JSON. Never contains a secret. */
  data: json<Readonly<Record<string, unknown>>>(Type.Record(Type.String(), Type.Unknown()), {
    key_id: 'key_0123456789abcdef',
    threshold: 80,
  }),
})
export type Notice = Value<typeof Notice>

/** A stored notice. */
export const Alert = Notice.with('StoredAlert', { id: id('alt') })
export type Alert = Value<typeof Alert>

/** An alert for webhooks and the console's live view. */
export const AlertMessage = Alert.pick('AlertMessage', ['id', 'kind', 'accountId', 'atMs', 'data'])

const DELIVERY_STATES = ['none', 'pending', 'delivered', 'failed'] as const

/** The delivery of an alert to the account's webhook. */
export const Delivery = shape('Delivery', {
  state: choice(DELIVERY_STATES).note('`none` when there was no webhook.').example('delivered'),
  tries: integer().note('The number of tries, including the current one.').example(1),
  dueAtMs: time().nullable().as('next_try_at').note('null when there will be none.'),
  lastFailure: text().nullable().note('Why the last try failed; null when none failed.'),
})
export type Delivery = Value<typeof Delivery>

export const AlertView = AlertMessage.with('Alert', { delivery: Delivery.field })
export interface AlertRecord extends Alert {
  readonly delivery: Delivery
}

/** Kinds that tell of a state, which ends. */
export const LASTING_ALERT_KINDS: readonly AlertKind[] = [
  'balance.low',
  'route.unpriced',
  'circuit.open',
  'journal.waiting',
  'sink.failing',
]

export const AlertFilter = shape('AlertFilter', {
  accountId: id('acc').note('Only this account id.'),
  kind: choice(ALERT_KINDS).note('Only this kind.'),
  isOpen: flag().as('open').note('true: only alerts that are not over. false: only those that are.'),
})
export type AlertFilter = Partial<Value<typeof AlertFilter>>

/** The webhook that receives an account's alerts. */
export const Webhook = shape('StoredWebhook', {
  accountId: id('acc'),
  url: text(2_000)
    .note('http or https, without user or password.')
    .example('https://hooks.example.com/turnpike'),
  enabled: flag().default(true).note('true by default.'),
  /** The secret that signs its calls. */
  secret: text().example('whsec_…'),
  createdAtMs: time(),
})
export type Webhook = Value<typeof Webhook>

export const WebhookPut = Webhook.pick('WebhookPut', ['url', 'enabled']).draft
export const WebhookView = Webhook.without('Webhook', ['secret'])

export const IssuedWebhook = Webhook.with('IssuedWebhook', {
  secret: Webhook.fields.secret.nullable().note('Only in the answer to the call that created it.'),
})
export type IssuedWebhook = Value<typeof IssuedWebhook>

/** Whether a webhook accepted a test. */
export const WebhookTest = shape('WebhookTest', {
  delivered: flag(),
  failure: text().nullable().note('Why it failed; null when it was accepted.'),
})
