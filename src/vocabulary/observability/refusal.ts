import { choice, id, integer, text, time } from '../field.ts'
import { shape, type Value } from '../shape.ts'

/** A request that was refused before it was admitted, so that it has no settlement. */
export const Refusal = shape('Refusal', {
  requestId: id('req').note('The `x-request-id` of the response.'),
  atMs: time(),
  accountId: id('acc'),
  keyId: id('key'),
  method: text().example('POST'),
  path: text().note('Without the query.').example('/v1/chat/completions'),
  code: text().example('model_not_found'),
  status: integer().example(404),
  message: text().note('As the client got it, cut after 500 characters.'),
  param: text().nullable().note('The request field at fault.').example('model'),
  model: text()
    .nullable()
    .note('The model that the request named; null when the body was not read.')
    .example('gpt-5'),
})
export type Refusal = Value<typeof Refusal>

/** How long refusals are counted. */
export const REFUSAL_COUNT_DAYS = 14

/** How often requests were refused in one minute. Both ids are empty for requests without a known key. */
export const RefusalMinute = shape('StoredRefusalMinute', {
  minuteMs: time(),
  accountId: text(),
  keyId: text(),
  code: text(),
  count: integer(),
  lastAtMs: time(),
})
export type RefusalMinute = Value<typeof RefusalMinute>

export const REFUSAL_SPANS = ['minute', 'hour', 'day'] as const
export type RefusalSpan = (typeof REFUSAL_SPANS)[number]

/** How often requests of one key were refused with one code in a period. */
export const RefusalCount = shape('RefusalCount', {
  startMs: time().as('starts_at'),
  accountId: id('acc').nullable().note('null for requests without a known key.'),
  keyId: id('key').nullable().note('null for requests without a known key.'),
  code: text().example('rate_limit_exceeded'),
  count: integer().example(12),
  lastAtMs: time(),
})
export type RefusalCount = Value<typeof RefusalCount>

/** The same for all keys of an account together. */
export const RefusalTotal = RefusalCount.without('RefusalTotal', ['accountId', 'keyId'])
export type RefusalTotal = Value<typeof RefusalTotal>

const RefusalRange = shape('RefusalRange', {
  accountId: id('acc').note('Only this account id.'),
  keyId: id('key').note('Only this key id.'),
  code: text().note('Only this error code.').example('model_not_found'),
  fromMs: time().note('At this RFC 3339 time or later.'),
  toMs: time().note('Before this RFC 3339 time.'),
})

/** How often refusals happened is not counted by model or id. */
export const RefusalFilter = RefusalRange.with('RefusalFilter', {
  model: text().note('Only requests for this model.').example('gpt-5'),
  requestId: text().as('id').note('Only the request with this id, or those whose id starts so.'),
})
export type RefusalFilter = Partial<Value<typeof RefusalFilter>>

export const RefusalCountFilter = RefusalRange.with('RefusalCountFilter', {
  span: choice(REFUSAL_SPANS).note('The length of a period; `hour` by default.').example('hour'),
})
