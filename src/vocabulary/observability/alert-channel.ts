import { Type } from 'typebox'
import {
  Alert,
  type AlertKind,
  type AlertRecord,
  AlertView,
  Delivery,
  LASTING_ALERT_KINDS,
} from '../alert.ts'
import { choice, flag, integer, json, list, text, time } from '../field.ts'
import { recordId } from '../records/record.ts'
import { shape, type Value } from '../shape.ts'
import { ALERT_KINDS, CHANNEL_TYPES, USUAL_ALERT_KINDS } from '../words.ts'

/** Where operators are told of alerts. */
export const AlertChannel = shape('StoredAlertChannel', {
  id: recordId('on-call').note('Chosen by the operator.'),
  type: choice(CHANNEL_TYPES).example('slack'),
  address: text(2_000)
    .note('An http or https address, or an e-mail address. Shown without what may be secret.')
    .example('https://hooks.example.com/services/T0/B0/xyz'),
  kinds: list(choice(ALERT_KINDS), { isSet: true, takes: 'a list of kinds of alerts' })
    .default(USUAL_ALERT_KINDS)
    .note('The alerts it gets; by default all that operators can do something about.')
    .example(['credential.disabled', 'circuit.open']),
  enabled: flag().default(true).note('true by default.'),
  /** The secret that signs calls of a webhook. */
  secret: text().example('whsec_…'),
  createdAtMs: time(),
})
export type AlertChannel = Value<typeof AlertChannel>

const SETTINGS = ['type', 'address', 'kinds', 'enabled'] as const
export const AlertChannelPut = AlertChannel.pick('AlertChannelPut', SETTINGS).draft
export const AlertChannelChange = AlertChannel.pick('AlertChannelChange', SETTINGS).patch
export type ChannelSettings = Pick<AlertChannel, (typeof SETTINGS)[number]>

export const AlertChannelView = AlertChannel.without('AlertChannel', ['secret']).with('AlertChannel', {
  waiting: integer().note('Messages that are not delivered yet.').example(0),
  lastFailure: text().nullable().note('Why the last try failed; null when it succeeded.').example(null),
})
export type AlertChannelView = Value<typeof AlertChannelView>

export const IssuedAlertChannel = AlertChannelView.with('IssuedAlertChannel', {
  secret: AlertChannel.fields.secret
    .nullable()
    .note('Only in the answer to the call that made it a webhook.'),
})
export type IssuedAlertChannel = Value<typeof IssuedAlertChannel>

/** Whether a channel accepted a test. */
export const ChannelTest = shape('ChannelTest', {
  delivered: flag(),
  failure: text().nullable().note('Why it failed; null when it was accepted.').example(null),
})

const STATUSES = ['raised', 'resolved'] as const
export type AlertStatus = (typeof STATUSES)[number]

/** An alert that is told to operators: when it is raised, and when it is over. */
export const OperatorMessage = shape('OperatorMessage', {
  id: text(),
  status: choice(STATUSES),
  kind: text(),
  accountId: text().nullable(),
  subject: text(),
  atMs: time(),
  data: json<Readonly<Record<string, unknown>>>(Type.Record(Type.String(), Type.Unknown()), {}),
})
export type OperatorMessage = Value<typeof OperatorMessage>

/** How a channel was told that an alert was raised. */
const ChannelDelivery = Delivery.pick('ChannelDelivery', ['state', 'lastFailure']).with('ChannelDelivery', {
  channelId: AlertChannel.fields.id.as('channel'),
  state: Delivery.fields.state.note('`none` when the channel was switched off in the meantime.'),
})
export type ChannelDelivery = Value<typeof ChannelDelivery>

/** An alert as operators see it. */
export const OperatorAlert = AlertView.with('OperatorAlert', {
  title: text().note('What happened, in a sentence.').example('The route of gpt-5 to openai has no price'),
  subject: Alert.fields.subject.note('The id of what it is about.').example('gpt-5/routes/openai'),
  status: choice(STATUSES)
    .nullable()
    .note('`resolved` when it is over; null for what has no end, such as a threshold that was reached.'),
  channels: list(ChannelDelivery.field).note('Which channels were told of it. Kept for seven days.'),
})
export type OperatorAlert = Value<typeof OperatorAlert>

const LASTING: ReadonlySet<AlertKind> = new Set(LASTING_ALERT_KINDS)

/** Whether an alert is over; null when it tells of something that has no end. */
export function statusOf({ kind, occasion }: Pick<AlertRecord, 'kind' | 'occasion'>): AlertStatus | null {
  if (!LASTING.has(kind)) return null
  // An occasion that has ended is forgotten, so that it can be one again.
  return occasion === null ? 'resolved' : 'raised'
}
