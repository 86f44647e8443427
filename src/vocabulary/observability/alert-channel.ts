import { Type } from 'typebox'
import { ALERT_KINDS, type AlertKind } from '../alert.ts'
import { choice, flag, integer, json, list, text, time } from '../field.ts'
import { recordId } from '../records/record.ts'
import { shape, type Value } from '../shape.ts'

export const CHANNEL_TYPES = ['webhook', 'slack', 'email'] as const
export type ChannelType = (typeof CHANNEL_TYPES)[number]

/** What operators are told unless they choose otherwise: what they can do something about. */
const USUAL_KINDS: readonly AlertKind[] = ALERT_KINDS.filter(
  (kind) => kind !== 'budget.threshold' && kind !== 'key.limit_reached',
)

/** Where operators are told of alerts. */
export const AlertChannel = shape('StoredAlertChannel', {
  id: recordId('on-call').note('Chosen by the operator.'),
  type: choice(CHANNEL_TYPES).example('slack'),
  address: text(2_000)
    .note('An http or https address, or an e-mail address. Shown without what may be secret.')
    .example('https://hooks.example.com/services/T0/B0/xyz'),
  kinds: list(choice(ALERT_KINDS), { isSet: true, takes: 'a list of kinds of alerts' })
    .default(USUAL_KINDS)
    .note('The alerts it gets; by default all that operators can do something about.')
    .example(['credential.disabled', 'circuit.open']),
  enabled: flag().default(true).note('true by default.'),
  /** The secret that signs calls of a webhook. */
  secret: text().example('whsec_…'),
  createdAtMs: time(),
})
export type AlertChannel = Value<typeof AlertChannel>

export const AlertChannelPut = AlertChannel.pick('AlertChannelPut', [
  'type',
  'address',
  'kinds',
  'enabled',
]).draft
export type ChannelSettings = Pick<AlertChannel, 'type' | 'address' | 'kinds' | 'enabled'>

export const AlertChannelView = AlertChannel.without('AlertChannel', ['secret']).with('AlertChannel', {
  waiting: integer().note('Messages that are not delivered yet.').example(0),
  lastFailure: text().nullable().note('Why the last try failed; null when it succeeded.').example(null),
})
export type AlertChannelView = Value<typeof AlertChannelView>

export const IssuedAlertChannel = AlertChannelView.with('IssuedAlertChannel', {
  secret: AlertChannel.fields.secret
    .nullable()
    .note('Only in the answer to the call that created a webhook.'),
})
export type IssuedAlertChannel = Value<typeof IssuedAlertChannel>

/** Whether a channel accepted a test. */
export const ChannelTest = shape('ChannelTest', {
  delivered: flag(),
  failure: text().nullable().note('Why it failed; null when it was accepted.').example(null),
})

/** An alert that is told to operators: when it is raised, and when it is over. */
export const OperatorMessage = shape('OperatorMessage', {
  id: text(),
  status: choice(['raised', 'resolved']),
  kind: text(),
  accountId: text().nullable(),
  subject: text(),
  atMs: time(),
  data: json<Readonly<Record<string, unknown>>>(Type.Record(Type.String(), Type.Unknown()), {}),
})
export type OperatorMessage = Value<typeof OperatorMessage>
