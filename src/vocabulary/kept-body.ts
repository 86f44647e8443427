import { flag, id, integer, text, time } from './field.ts'
import { shape, type Value } from './shape.ts'

/** Whether an account wants what it asks and is answered to be kept, and for how long. */
export const BodyStorage = shape('StoredBodyStorage', {
  accountId: id('acc'),
  isEnabled: flag().as('enabled'),
  days: integer({ min: 1, max: 365 }).example(7),
})
export type BodyStorage = Value<typeof BodyStorage>

export const BodyStorageView = BodyStorage.without('BodyStorage', ['accountId'])

/** Without `days` they stay as they are. */
export const BodyStorageChange = BodyStorage.pick('BodyStorageChange', ['isEnabled']).with(
  'BodyStorageChange',
  { days: BodyStorage.fields.days.optional() },
).draft

/** What was said in one request. */
export const KeptContent = shape('KeptBody', {
  request: text().example('{"model":"gpt-5","messages":[]}'),
  response: text().nullable().note('Null when nothing was delivered.').example('{"choices":[]}'),
  isRequestCut: flag().as('request_cut').note('Whether only the beginning was kept.').example(false),
  isResponseCut: flag().as('response_cut').note('Whether only the beginning was kept.').example(false),
})
export type KeptContent = Value<typeof KeptContent>

export const KeptBody = KeptContent.with('StoredBody', {
  accountId: id('acc'),
  requestId: id('req'),
  createdAtMs: time(),
})
export type KeptBody = Value<typeof KeptBody>
