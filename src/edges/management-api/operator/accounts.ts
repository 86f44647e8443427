import type { Operations } from '../../../manage/ports/operations.ts'
import { AccountChange, AccountCreate, AccountView } from '../../../vocabulary/account.ts'
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
    answer: listOf(AccountView),
    handle: (operations, { page }) => operations.listAccounts(page),
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
]
