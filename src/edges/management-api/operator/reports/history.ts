import type { Operations } from '../../../../manage/ports/operations.ts'
import { choice, text } from '../../../../vocabulary/field.ts'
import { LedgerVerification } from '../../../../vocabulary/ledger.ts'
import { ClientSession, ClientSessionFilter } from '../../../../vocabulary/observability/client-session.ts'
import {
  SettlementListFilter,
  SettlementView,
  USAGE_SPANS,
  UsageDimensions,
  UsageFilter,
  UsageView,
} from '../../../../vocabulary/settlement.ts'
import { fieldNames } from '../../../../vocabulary/shape.ts'
import { AuditFilter, AuditView, SearchHit } from '../../../../vocabulary/system.ts'
import { definer, listOf, one, wholeListOf } from '../../endpoint.ts'

const define = definer<Operations>()
const common = { tag: 'History', access: 'operator' } as const

export const historyEndpoints = [
  define({
    ...common,
    method: 'GET',
    path: '/settlements',
    id: 'listSettlements',
    summary: 'List settlements, newest first',
    query: SettlementListFilter.fields,
    answer: listOf(SettlementView),
    handle: (operations, { query, page }) => operations.listSettlements(query, page),
  }),
  define({
    ...common,
    method: 'GET',
    path: '/settlements/:id',
    id: 'showSettlement',
    summary: 'Show how a request ended',
    description: 'The id is the `x-request-id` of the response.',
    answer: one(SettlementView),
    handle: (operations, { params }) => operations.findSettlement(params.id),
  }),
  define({
    ...common,
    method: 'GET',
    path: '/client-sessions',
    id: 'listClientSessions',
    summary: 'List the sessions that clients named',
    description: 'A session is what requests of one key name as such, for example one run of a coding agent.',
    query: ClientSessionFilter.fields,
    answer: listOf(ClientSession),
    handle: (operations, { query, page }) => operations.listClientSessions(query, page),
  }),
  define({
    ...common,
    method: 'GET',
    path: '/audit',
    id: 'listAuditEvents',
    summary: 'List changes, newest first',
    description: 'Who changed what, with the object before and after.',
    query: AuditFilter.fields,
    answer: listOf(AuditView),
    handle: (operations, { query, page }) => operations.listAuditEvents(page, query),
  }),
  define({
    ...common,
    method: 'GET',
    path: '/search',
    id: 'search',
    summary: 'Find accounts, keys, models, suppliers and requests',
    description: 'By a part of their name or id, up to five of each kind; a request by its whole id.',
    query: { q: text().note('What to look for.').example('acme') },
    answer: wholeListOf(SearchHit),
    handle: (operations, { query }) => operations.search(query.q ?? ''),
  }),
]

export const usageEndpoints = [
  define({
    ...common,
    method: 'GET',
    path: '/usage',
    id: 'listUsage',
    summary: 'List usage by hour or day, oldest first',
    description:
      'A request counts in the hour and the day (UTC) in which it ended. Sessions and agents are counted from settlements: of an account, a key, a session or an agent, and of up to 50,000 requests.',
    query: {
      ...UsageFilter.fields,
      span: choice(USAGE_SPANS).as('granularity').note('The length of each period; `day` by default.'),
      groupBy: fieldNames(UsageDimensions).note(
        'Comma-separated groups: `account_id`, `key_id`, `model`, `supplier`, `session`, `agent`.',
      ),
    },
    answer: listOf(UsageView, 'Sums. `first_byte_ms` is the sum over `first_bytes` requests.'),
    handle: (operations, { query: { span = 'day', groupBy = [], ...filter }, page }) =>
      operations.listUsage({ span, groupBy, filter }, page),
  }),
  define({
    ...common,
    method: 'GET',
    path: '/ledger/verify',
    id: 'verifyLedger',
    summary: 'Verify the ledger',
    description: 'Compares balances, payments, settlements, usage and journal, up to the first difference.',
    query: {},
    answer: one(LedgerVerification, 'The records that were compared.'),
    handle: (operations) => operations.verifyLedger(),
  }),
]
