import { Type } from 'typebox'
import { id, json, text, time } from './field.ts'
import { shape, type Value } from './shape.ts'

const state = json<object>(Type.Object({}), { name: 'Acme' }).nullable()

/** Who did what to which thing, and how it looked before and after. Never holds a secret. */
export const AuditEvent = shape('AuditEvent', {
  id: id('aud'),
  atMs: time(),
  actor: text().example('operator'),
  action: text().note('`<thing>.<verb>`.').example('account.changed'),
  subject: id('acc'),
  before: state.note('What was changed, as it was; null for something new.'),
  after: state.note('What was changed, as it is now; null for something that is gone.'),
})
export type AuditEvent = Value<typeof AuditEvent>
