import type { Operations } from '../../../manage/ports/operations.ts'
import {
  CredentialChange,
  CredentialCreate,
  CredentialView,
  Supplier,
  SupplierListQuery,
  SupplierPut,
} from '../../../vocabulary/supply.ts'
import { DELETED, definer, listOf, one } from '../endpoint.ts'

const define = definer<Operations>()
const common = { tag: 'Suppliers', access: 'operator' } as const

export const supplierEndpoints = [
  define({
    ...common,
    method: 'GET',
    path: '/suppliers',
    id: 'listSuppliers',
    summary: 'List suppliers',
    query: SupplierListQuery.fields,
    answer: listOf(Supplier),
    handle: (operations, { page, query }) => operations.listSuppliers(page, query),
  }),
  define({
    ...common,
    method: 'GET',
    path: '/suppliers/:id',
    id: 'showSupplier',
    summary: 'Show a supplier',
    answer: one(Supplier),
    handle: (operations, { params }) => operations.findSupplier(params.id),
  }),
  define({
    ...common,
    method: 'PUT',
    path: '/suppliers/:id',
    id: 'putSupplier',
    summary: 'Create or replace a supplier',
    body: SupplierPut,
    answer: one(Supplier),
    handle: (operations, { params, body, actor }) =>
      operations.putSupplier({ id: params.id, ...body }, actor),
  }),
  define({
    ...common,
    method: 'DELETE',
    path: '/suppliers/:id',
    id: 'deleteSupplier',
    summary: 'Delete a supplier',
    description: 'Deletes its credentials too. Refused while a route or a key refers to it.',
    answer: DELETED,
    handle: async (operations, { params, actor }) => {
      await operations.deleteSupplier(params.id, actor)
      return params.id
    },
  }),
  define({
    ...common,
    method: 'GET',
    path: '/suppliers/:id/credentials',
    id: 'listCredentials',
    summary: 'List credentials',
    answer: listOf(CredentialView),
    handle: (operations, { params, page }) => operations.listCredentials(params.id, page),
  }),
  define({
    ...common,
    method: 'POST',
    path: '/suppliers/:id/credentials',
    id: 'addCredential',
    summary: 'Add a credential',
    body: CredentialCreate,
    answer: one(CredentialView),
    handle: (operations, { params, body, actor }) =>
      operations.addCredential(params.id, { ...body, state: 'active' }, actor),
  }),
  define({
    ...common,
    method: 'PATCH',
    path: '/credentials/:id',
    id: 'changeCredential',
    summary: 'Change a credential',
    body: CredentialChange,
    answer: one(CredentialView),
    handle: (operations, { params, body, actor }) => operations.changeCredential(params.id, body, actor),
  }),
  define({
    ...common,
    method: 'DELETE',
    path: '/credentials/:id',
    id: 'deleteCredential',
    summary: 'Delete a credential',
    answer: DELETED,
    handle: async (operations, { params, actor }) => {
      await operations.deleteCredential(params.id, actor)
      return params.id
    },
  }),
]
