import { isForOperators } from '../../../../rules/catalog/conceal-supply.ts'
import { LEDGER_EXPORT, SETTLEMENT_EXPORT } from '../../../../rules/ledger/export-columns.ts'
import { FOCUS_EXPORT } from '../../../../rules/ledger/focus/focus-columns.ts'
import { LedgerEntry, LedgerFilter, Payment, Receipt } from '../../../../vocabulary/ledger.ts'
import { ClientSession, ClientSessionFilter } from '../../../../vocabulary/observability/client-session.ts'
import { BodySearch, FoundBodies, ReadBodies } from '../../../../vocabulary/observability/read-bodies.ts'
import { PaymentMethod, PaymentMethods } from '../../../../vocabulary/records/payment-method.ts'
import {
  BodyStorageChange,
  BodyStorageView,
  KeptContent,
  SettlementExportFilter,
  SettlementListFilter,
  SettlementView,
} from '../../../../vocabulary/settlement.ts'
import { listOf, one, wholeListOf } from '../../endpoint.ts'
import {
  EXPORT_OPTIONS,
  exportFocus,
  exportLedger,
  exportSettlements,
  linesOf,
} from '../../operator/reports/exports.ts'
import { ACCOUNT_PATH, consoleDefiner } from '../console-endpoint.ts'
import { type AccountApiParts, concealed, concealFor } from './parts.ts'

const define = consoleDefiner<AccountApiParts>()
const common = { tag: 'Console: history', access: 'see-account' } as const
const MEMBER_COLUMNS = SETTLEMENT_EXPORT.filter(({ name }) => !isForOperators(name, false))
const SETTLEMENTS = `${ACCOUNT_PATH}/settlements` as const
const BODY_STORAGE = `${ACCOUNT_PATH}/body-storage` as const

// The path names the account.
const OWN_SETTLEMENTS = SettlementExportFilter.without('OwnSettlementFilter', ['accountId']).fields
const OWN_SESSIONS = ClientSessionFilter.without('OwnClientSessionFilter', ['accountId']).fields
const OWN_LEDGER = LedgerFilter.without('OwnLedgerFilter', ['accountId']).fields

/** The history of an account. */
export const accountHistoryEndpoints = [
  define({
    ...common,
    method: 'GET',
    path: SETTLEMENTS,
    id: 'consoleListSettlements',
    summary: 'List the requests of an account, newest first',
    query: { ...OWN_SETTLEMENTS, requestId: SettlementListFilter.fields.requestId },
    answer: concealed(listOf(SettlementView)),
    handle: async (parts, { query, page, visit }) => {
      const { accountId } = visit
      if (query.keyId !== undefined) parts.account.ownKeyId(accountId, query.keyId)
      const found = await parts.operations.listSettlements({ ...query, accountId }, page)
      return concealFor(parts, visit, found)
    },
  }),
  define({
    ...common,
    method: 'GET',
    path: `${SETTLEMENTS}/:id`,
    id: 'consoleShowSettlement',
    summary: 'Show a request',
    answer: concealed(one(SettlementView)),
    handle: async (parts, { params, visit }) =>
      concealFor(parts, visit, await parts.account.findSettlement(visit.accountId, params.id)),
  }),
  define({
    ...common,
    method: 'GET',
    path: `${ACCOUNT_PATH}/client-sessions`,
    id: 'consoleListClientSessions',
    summary: 'List the sessions that the clients of an account named',
    query: OWN_SESSIONS,
    answer: concealed(listOf(ClientSession)),
    handle: async (parts, { query, page, visit }) => {
      const { accountId } = visit
      if (query.keyId !== undefined) parts.account.ownKeyId(accountId, query.keyId)
      const found = await parts.operations.listClientSessions({ ...query, accountId }, page)
      return concealFor(parts, visit, found)
    },
  }),
  define({
    ...common,
    method: 'GET',
    access: 'see-money',
    path: `${ACCOUNT_PATH}/ledger`,
    id: 'consoleListLedger',
    summary: 'List ledger entries',
    answer: listOf(LedgerEntry),
    handle: ({ operations }, { page, visit }) => operations.listLedger(visit.accountId, page),
  }),
  define({
    ...common,
    method: 'GET',
    access: 'see-money',
    path: `${ACCOUNT_PATH}/payments`,
    id: 'consoleListPayments',
    summary: 'List the payments of an account',
    answer: listOf(Payment),
    handle: ({ operations }, { page, visit }) => operations.listPayments(visit.accountId, page),
  }),
  define({
    ...common,
    method: 'GET',
    access: 'see-money',
    path: `${ACCOUNT_PATH}/payments/:id/receipt`,
    id: 'consoleShowReceipt',
    summary: 'Show what is printed about a payment',
    answer: one(Receipt),
    handle: ({ operations }, { params, visit }) => operations.findReceipt(visit.accountId, params.id),
  }),
  define({
    ...common,
    method: 'GET',
    access: 'see-money',
    path: `${ACCOUNT_PATH}/payment-methods`,
    id: 'consoleListPaymentMethods',
    summary: 'List the payment methods that operators show to customers',
    answer: wholeListOf(PaymentMethod),
    handle: async ({ operations }) => {
      const methods = await operations.records(PaymentMethods).listAll()
      return methods.filter(({ enabled }) => enabled)
    },
  }),
  define({
    ...common,
    method: 'GET',
    path: `${ACCOUNT_PATH}/exports/settlements`,
    id: 'consoleExportSettlements',
    summary: 'Export the requests of an account',
    query: { ...OWN_SETTLEMENTS, ...EXPORT_OPTIONS },
    answer: linesOf(MEMBER_COLUMNS),
    handle: ({ account, operations }, { query, visit: { accountId } }) => {
      if (query.keyId !== undefined) account.ownKeyId(accountId, query.keyId)
      return exportSettlements(operations, { ...query, accountId }, MEMBER_COLUMNS)
    },
  }),
  define({
    ...common,
    method: 'GET',
    access: 'see-money',
    path: `${ACCOUNT_PATH}/exports/focus`,
    id: 'consoleExportFocus',
    summary: 'Export the charges of an account in FOCUS columns',
    query: { ...OWN_SETTLEMENTS, ...EXPORT_OPTIONS },
    answer: linesOf(FOCUS_EXPORT),
    handle: ({ account, operations }, { query, visit: { accountId } }) => {
      if (query.keyId !== undefined) account.ownKeyId(accountId, query.keyId)
      return exportFocus(operations, { ...query, accountId })
    },
  }),
  define({
    ...common,
    method: 'GET',
    access: 'see-money',
    path: `${ACCOUNT_PATH}/exports/ledger`,
    id: 'consoleExportLedger',
    summary: 'Export ledger entries',
    query: { ...OWN_LEDGER, ...EXPORT_OPTIONS },
    answer: linesOf(LEDGER_EXPORT),
    handle: ({ operations }, { query, visit: { accountId } }) =>
      exportLedger(operations, { ...query, accountId }),
  }),
  define({
    ...common,
    method: 'GET',
    access: 'see-bodies',
    path: `${ACCOUNT_PATH}/bodies/:id`,
    id: 'consoleShowBody',
    summary: 'Show the stored bodies of a request',
    answer: one(KeptContent),
    handle: ({ account }, { params, visit }) => account.findBody(visit.accountId, params.id),
  }),
  define({
    ...common,
    method: 'GET',
    access: 'see-bodies',
    path: `${ACCOUNT_PATH}/bodies/:id/conversation`,
    id: 'consoleReadBody',
    summary: 'Show the stored bodies of a request as a conversation',
    description: 'Reads every text format. The answer of a stream is put together from its events.',
    answer: one(ReadBodies),
    handle: ({ account }, { params, visit }) => account.readBodies(visit.accountId, params.id),
  }),
  define({
    ...common,
    method: 'GET',
    access: 'see-bodies',
    path: `${ACCOUNT_PATH}/bodies`,
    id: 'consoleSearchBodies',
    summary: 'Search the stored bodies of an account',
    description:
      'Bodies are encrypted, so they are opened and read one by one, newest first: up to 200 in one call, fewer when they are long. Search on with `cursor`.',
    query: BodySearch.fields,
    answer: one(FoundBodies),
    handle: ({ account }, { query: { cursor = null, text = '', ...range }, visit }) =>
      account.searchBodies(visit.accountId, { ...range, text, cursor }),
  }),
  define({
    ...common,
    method: 'GET',
    path: BODY_STORAGE,
    id: 'consoleShowBodyStorage',
    summary: 'Show whether bodies are stored',
    answer: one(BodyStorageView),
    handle: ({ account }, { visit }) => account.bodyStorage(visit.accountId),
  }),
  define({
    ...common,
    method: 'PUT',
    access: 'manage-bodies',
    path: BODY_STORAGE,
    id: 'consoleSetBodyStorage',
    summary: 'Choose whether bodies are stored, and for how long',
    body: BodyStorageChange,
    answer: one(BodyStorageView),
    handle: ({ account }, { body: { isEnabled, days }, visit: { accountId }, actor }) =>
      account.setBodyStorage(
        { accountId, isEnabled, days: days ?? account.bodyStorage(accountId).days },
        actor,
      ),
  }),
]
