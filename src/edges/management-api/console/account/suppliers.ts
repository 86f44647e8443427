import { OwnSupplierTest } from '../../../../manage/ports/diagnostics.ts'
import {
  CredentialCreate,
  CredentialView,
  OwnSupplier,
  OwnSupplierPut,
  Supplier,
} from '../../../../vocabulary/supply.ts'
import { DELETED, one, wholeListOf } from '../../endpoint.ts'
import { ACCOUNT_PATH, consoleDefiner } from '../console-endpoint.ts'
import type { AccountApiParts } from './parts.ts'

const define = consoleDefiner<AccountApiParts>()
const common = { tag: 'Console: own suppliers', access: 'manage-account' } as const
const SUPPLIERS = `${ACCOUNT_PATH}/own-suppliers` as const
const SUPPLIER = `${SUPPLIERS}/:id` as const

/** An account's own suppliers and credentials. */
export const accountSupplierEndpoints = [
  define({
    ...common,
    method: 'GET',
    path: SUPPLIERS,
    id: 'consoleListOwnSuppliers',
    summary: "List the account's own suppliers with their credentials",
    answer: wholeListOf(OwnSupplier),
    handle: ({ account }, { visit }) => account.listSuppliers(visit.accountId),
  }),
  define({
    ...common,
    method: 'PUT',
    path: SUPPLIER,
    id: 'consolePutOwnSupplier',
    summary: 'Create or replace an own supplier',
    body: OwnSupplierPut,
    answer: one(Supplier),
    handle: ({ operations }, { params, body, visit, actor }) => {
      const own = { id: params.id, source: 'byok', accountId: visit.accountId } as const
      return operations.putOwnSupplier({ ...body, ...own }, actor)
    },
  }),
  define({
    ...common,
    method: 'DELETE',
    path: SUPPLIER,
    id: 'consoleDeleteOwnSupplier',
    summary: 'Delete an own supplier with its credentials',
    answer: DELETED,
    handle: async ({ account }, { params, visit, actor }) => {
      await account.deleteSupplier(visit.accountId, params.id, actor)
      return params.id
    },
  }),
  define({
    ...common,
    method: 'POST',
    path: `${SUPPLIER}/credentials`,
    id: 'consoleAddOwnCredential',
    summary: 'Add a credential to an own supplier',
    body: CredentialCreate,
    answer: one(CredentialView),
    handle: ({ account, operations }, { params, body, visit, actor }) =>
      operations.addCredential(
        account.ownSupplierId(visit.accountId, params.id),
        { ...body, state: 'active' },
        actor,
      ),
  }),
  define({
    ...common,
    // Not GET, because the supplier charges for it.
    method: 'POST',
    path: `${SUPPLIER}/test`,
    id: 'consoleTestOwnSupplier',
    summary: 'Test the credentials of an own supplier',
    description:
      'Sends a short request with each active credential. The supplier charges the account for it.',
    answer: one(OwnSupplierTest, 'What became of it, and the models that it serves.'),
    handle: ({ account }, { params, visit }) => account.testSupplier(visit.accountId, params.id),
  }),
  define({
    ...common,
    method: 'DELETE',
    path: `${ACCOUNT_PATH}/own-credentials/:id`,
    id: 'consoleDeleteOwnCredential',
    summary: 'Delete an own credential',
    answer: DELETED,
    handle: async ({ account, operations }, { params, visit, actor }) => {
      await operations.deleteCredential(account.ownCredentialId(visit.accountId, params.id), actor)
      return params.id
    },
  }),
]
