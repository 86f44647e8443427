import { flag, integer, text, time } from '../field.ts'
import { recordId } from '../records/record.ts'
import { shape, type Value } from '../shape.ts'

/** Where settlements and events are sent, for those who analyse them elsewhere. */
export const Sink = shape('StoredSink', {
  id: recordId('warehouse').note('Chosen by the operator.'),
  target: text(2_000)
    .note(
      'An http or https address, `s3://bucket/prefix`, or `folder://name` below `sinks` in the data folder.',
    )
    .example('https://collector.example.com/turnpike'),
  hasSettlements: flag()
    .as('settlements')
    .default(true)
    .note('Whether it gets settlements; true by default.'),
  hasEvents: flag()
    .as('events')
    .default(true)
    .note('Whether it gets audit events and alerts; true by default.'),
  enabled: flag().default(true).note('true by default. A disabled sink gets nothing, also not later.'),
  waitSeconds: integer({ min: 0, max: 3_600 })
    .default(5)
    .note('How long lines may wait for others, so that batches are not too small; 5 by default.'),
  /** The secret that signs its calls. */
  secret: text().example('whsec_…'),
  createdAtMs: time(),
})
export type Sink = Value<typeof Sink>

const SETTINGS = ['target', 'hasSettlements', 'hasEvents', 'enabled', 'waitSeconds'] as const
export const SinkPut = Sink.pick('SinkPut', SETTINGS).draft
export const SinkChange = Sink.pick('SinkChange', SETTINGS).patch
export type SinkSettings = Pick<Sink, (typeof SETTINGS)[number]>

/** How far a sink has got. */
export const SinkProgress = shape('SinkProgress', {
  waiting: integer().note('Lines that are not sent yet.').example(0),
  oldestAtMs: time().nullable().note('The time of the oldest of them; null when none waits.').example(null),
  sent: integer().note('Lines sent since the sink was created.').example(1_200),
  lost: integer().note('Lines that were not sent because they waited too long or were deleted.').example(0),
  lastSentAtMs: time().nullable(),
  failures: integer().note('Failed tries since the last that succeeded.').example(0),
  nextTryAtMs: time().nullable().note('null when it may be tried at once.').example(null),
  lastFailure: text().nullable().note('Why the last try failed; null when it succeeded.').example(null),
})
export type SinkProgress = Value<typeof SinkProgress>

export const SinkView = Sink.without('Sink', ['secret']).with('Sink', { progress: SinkProgress.field })
export type SinkView = Value<typeof SinkView>

export const IssuedSink = SinkView.with('IssuedSink', {
  secret: Sink.fields.secret.nullable().note('Only in the answer to the call that made it call an address.'),
})
export type IssuedSink = Value<typeof IssuedSink>

export const SINK_STREAMS = ['settlements', 'events'] as const
export type SinkStream = (typeof SINK_STREAMS)[number]
