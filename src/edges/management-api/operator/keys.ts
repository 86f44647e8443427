import type { Operations } from '../../../manage/ports/operations.ts'
import {
  IssuedKey,
  KeyChange,
  KeyCreate,
  KeyListQuery,
  KeyRotate,
  KeyView,
} from '../../../vocabulary/api-key.ts'
import { definer, listOf, one } from '../endpoint.ts'

const define = definer<Operations>()
const common = { tag: 'API keys', access: 'operator' } as const

export const keyEndpoints = [
  define({
    ...common,
    method: 'POST',
    path: '/accounts/:id/keys',
    id: 'createKey',
    summary: 'Create an API key',
    description: 'Only this answer contains the secret.',
    body: KeyCreate,
    answer: one(IssuedKey),
    handle: (operations, { params, body, actor }) => operations.createKey(params.id, body, actor),
  }),
  define({
    ...common,
    method: 'GET',
    path: '/accounts/:id/keys',
    id: 'listKeys',
    summary: 'List the keys of an account',
    query: KeyListQuery.fields,
    answer: listOf(KeyView),
    handle: (operations, { params, page, query }) => operations.listKeys(params.id, page, query),
  }),
  define({
    ...common,
    method: 'GET',
    path: '/keys',
    id: 'listAllKeys',
    summary: 'List the keys of all accounts',
    query: KeyListQuery.fields,
    answer: listOf(KeyView),
    handle: (operations, { page, query }) => operations.listKeys(null, page, query),
  }),
  define({
    ...common,
    method: 'GET',
    path: '/keys/:id',
    id: 'showKey',
    summary: 'Show a key',
    answer: one(KeyView),
    handle: (operations, { params }) => operations.findKey(params.id),
  }),
  define({
    ...common,
    method: 'PATCH',
    path: '/keys/:id',
    id: 'changeKey',
    summary: 'Change a key',
    description: 'Omitted fields stay unchanged; null removes a setting.',
    body: KeyChange,
    answer: one(KeyView),
    handle: (operations, { params, body, actor }) => operations.changeKey(params.id, body, actor),
  }),
  define({
    ...common,
    method: 'POST',
    path: '/keys/:id/rotate',
    id: 'rotateKey',
    summary: 'Give a key a new secret',
    body: KeyRotate,
    answer: one(IssuedKey),
    handle: (operations, { params, body, actor }) =>
      operations.rotateKey(params.id, body.graceSeconds, actor),
  }),
  define({
    ...common,
    method: 'DELETE',
    path: '/keys/:id',
    id: 'revokeKey',
    summary: 'Revoke a key',
    answer: one(KeyView),
    handle: (operations, { params, actor }) => operations.revokeKey(params.id, actor),
  }),
]
