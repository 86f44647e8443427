import type { Operations } from '../../../manage/ports/operations.ts'
import {
  AccountChange,
  AccountCreate,
  AccountListQuery,
  AccountView,
  StateReason,
} from '../../../vocabulary/account.ts'
import { definer, listOf, one } from '../endpoint.ts'

const define = definer<Operations>()
const common = { tag: 'Accounts', access: 'operator' } as const

export const accountEndpoints = [
  define({
    ...common,
    method: 'POST',
    path: '/accounts',
    id: 'createAccount',
    summary: 'Create an account',
    body: AccountCreate,
    answer: one(AccountView),
    handle: (operations, { body, actor }) => operations.createAccount(body, actor),
  }),
  define({
    ...common,
    method: 'GET',
    path: '/accounts',
    id: 'listAccounts',
    summary: 'List accounts',
    query: AccountListQuery.fields,
    answer: listOf(AccountView),
    handle: (operations, { page, query }) => operations.listAccounts(page, query),
  }),
  define({
    ...common,
    method: 'GET',
    path: '/accounts/:id',
    id: 'showAccount',
    summary: 'Show an account',
    answer: one(AccountView),
    handle: (operations, { params }) => operations.findAccount(params.id),
  }),
  define({
    ...common,
    method: 'PATCH',
    path: '/accounts/:id',
    id: 'changeAccount',
    summary: 'Change name, credit line or balance alert',
    body: AccountChange,
    answer: one(AccountView),
    handle: (operations, { params, body, actor }) => operations.changeAccount(params.id, body, actor),
  }),
  define({
    ...common,
    method: 'POST',
    path: '/accounts/:id/suspend',
    id: 'suspendAccount',
    summary: 'Suspend an account',
    description: 'Requests with its keys are refused with `permission_denied` until it is reopened.',
    body: StateReason,
    answer: one(AccountView),
    handle: (operations, { params, body, actor }) => operations.suspendAccount(params.id, body.reason, actor),
  }),
  define({
    ...common,
    method: 'POST',
    path: '/accounts/:id/reopen',
    id: 'reopenAccount',
    summary: 'Reopen a suspended account',
    answer: one(AccountView),
    handle: (operations, { params, actor }) => operations.reopenAccount(params.id, actor),
  }),
  define({
    ...common,
    method: 'POST',
    path: '/accounts/:id/close',
    id: 'closeAccount',
    summary: 'Close an account for good',
    description:
      'Revokes all of its keys. The account, its balance and its ledger stay for the books; refunds and adjustments can still be recorded.',
    body: StateReason,
    answer: one(AccountView, 'The account with the balance that is left.'),
    handle: (operations, { params, body, actor }) => operations.closeAccount(params.id, body.reason, actor),
  }),
]
