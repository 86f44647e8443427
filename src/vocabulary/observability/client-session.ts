import { amount, choice, flag, id, integer, list, text, time } from '../field.ts'
import { MAX_SESSION_ID_LENGTH } from '../settlement.ts'
import { shape, type Value } from '../shape.ts'

const sessionId = text(MAX_SESSION_ID_LENGTH).example('0199a1b2-5c3d-7e4f-8a9b-0c1d2e3f4a5b')

/** The totals of the requests of one key that name the same session. */
export const SessionTotals = shape('StoredSessionTotals', {
  /** Account, key and session. */
  id: text(),
  session: sessionId,
  accountId: id('acc'),
  keyId: id('key'),
  firstAtMs: time().note('When its first request started.'),
  lastAtMs: time().note('When its last request started.'),
  requests: integer().example(42),
  errors: integer().note('Requests that did not complete; those whose client left are none.').example(1),
  inputTokens: integer().note('All input tokens, cached ones included.').example(120_000),
  outputTokens: integer().example(9_000),
  amountNano: amount().note('What the account paid.').example('0.42'),
  costNano: amount().note('What suppliers charge.').example('0.42'),
})
export type SessionTotals = Value<typeof SessionTotals>

/** How many models and agents of a session are listed. */
export const MAX_SESSION_NAMES = 10

export const ClientSession = SessionTotals.without('ClientSession', ['id']).with('ClientSession', {
  models: list(text()).note(`Up to ${MAX_SESSION_NAMES} models, by name.`).example(['gpt-5']),
  agents: list(text())
    .note(`Up to ${MAX_SESSION_NAMES} agents that the client named, by name.`)
    .example(['reviewer']),
})
export type ClientSession = Value<typeof ClientSession>

export const SESSION_SORTS = ['last', 'requests', 'errors', 'tokens', 'amount'] as const
export type SessionSort = (typeof SESSION_SORTS)[number]

/** Only so many of the newest sessions are sorted by anything but their time. */
export const MAX_SORTED_SESSIONS = 20_000

export const ClientSessionFilter = shape('ClientSessionFilter', {
  accountId: id('acc').as('account').note('Only this account id.'),
  keyId: id('key').note('Only this key id.'),
  session: sessionId.note('Only sessions whose id starts with this.'),
  hasErrors: flag().as('errors').note('Only sessions with errors, or only others.'),
  fromMs: time().note('Sessions with requests at this RFC 3339 time or later.'),
  toMs: time().note('Sessions that began before this RFC 3339 time.'),
  sort: choice(SESSION_SORTS)
    .note(
      `What comes first: the newest (\`last\`, by default) or the most requests, errors, tokens or cost among the newest ${MAX_SORTED_SESSIONS} sessions.`,
    )
    .example('last'),
})
export type ClientSessionFilter = Partial<Value<typeof ClientSessionFilter>>
