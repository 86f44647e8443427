import {
  IssuedKey,
  KeyChange,
  KeyCreate,
  KeyListQuery,
  KeyRotate,
  KeyView,
} from '../../../../vocabulary/api-key.ts'
import { IssuedPlaygroundKey } from '../../../../vocabulary/user.ts'
import { listOf, one } from '../../endpoint.ts'
import { ACCOUNT_PATH, consoleDefiner } from '../console-endpoint.ts'
import type { AccountApiParts } from './parts.ts'

const define = consoleDefiner<AccountApiParts>()
const common = { tag: 'Console: keys', access: 'manage-keys' } as const
const KEYS = `${ACCOUNT_PATH}/keys` as const
const KEY = `${KEYS}/:id` as const

export const accountKeyEndpoints = [
  define({
    ...common,
    method: 'GET',
    access: 'see-account',
    path: KEYS,
    id: 'consoleListKeys',
    summary: 'List the keys of an account',
    query: KeyListQuery.fields,
    answer: listOf(KeyView),
    handle: ({ operations }, { page, query, visit }) => operations.listKeys(visit.accountId, page, query),
  }),
  define({
    ...common,
    method: 'POST',
    path: KEYS,
    id: 'consoleCreateKey',
    summary: 'Create a key',
    body: KeyCreate,
    answer: one(IssuedKey),
    handle: ({ operations }, { body, visit, actor }) => operations.createKey(visit.accountId, body, actor),
  }),
  define({
    ...common,
    method: 'GET',
    access: 'see-account',
    path: KEY,
    id: 'consoleShowKey',
    summary: 'Show a key',
    answer: one(KeyView),
    handle: ({ account, operations }, { params, visit }) =>
      operations.findKey(account.ownKeyId(visit.accountId, params.id)),
  }),
  define({
    ...common,
    method: 'PATCH',
    path: KEY,
    id: 'consoleChangeKey',
    summary: 'Change a key',
    body: KeyChange,
    answer: one(KeyView),
    handle: ({ account, operations }, { params, body, visit, actor }) =>
      operations.changeKey(account.ownKeyId(visit.accountId, params.id), body, actor),
  }),
  define({
    ...common,
    method: 'DELETE',
    path: KEY,
    id: 'consoleRevokeKey',
    summary: 'Revoke a key for good',
    answer: one(KeyView),
    handle: ({ account, operations }, { params, visit, actor }) =>
      operations.revokeKey(account.ownKeyId(visit.accountId, params.id), actor),
  }),
  define({
    ...common,
    method: 'POST',
    path: `${KEY}/rotate`,
    id: 'consoleRotateKey',
    summary: 'Give a key a new secret',
    body: KeyRotate,
    answer: one(IssuedKey),
    handle: ({ account, operations }, { params, body, visit, actor }) =>
      operations.rotateKey(account.ownKeyId(visit.accountId, params.id), body.graceSeconds, actor),
  }),
  define({
    ...common,
    method: 'POST',
    path: `${ACCOUNT_PATH}/playground-key`,
    id: 'consoleIssuePlaygroundKey',
    summary: "Give the playground a key that replaces the user's one before",
    answer: one(IssuedPlaygroundKey),
    handle: ({ account }, { visit: { visitor, accountId }, actor }) =>
      account.issuePlaygroundKey({ userId: visitor.user.id, accountId }, actor),
  }),
]
