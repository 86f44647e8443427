import { CredentialView, Supplier } from '../../../vocabulary/supply.ts'
import { parseJson } from '../../../wire/parse-json.ts'
import { type AccountApiParts, idOf } from './account-parts.ts'
import { ACCOUNT_PATH, type ConsoleEndpoint } from './console-endpoint.ts'

const SUPPLIERS = `${ACCOUNT_PATH}/own-suppliers` as const
const SUPPLIER = `${SUPPLIERS}/:id` as const
// More than anybody has; a page of the operator API holds no more either.
const MOST_CREDENTIALS = 200

/** An account's own suppliers and credentials. */
export function accountSupplierEndpoints(parts: AccountApiParts): ConsoleEndpoint[] {
  return [
    listSuppliers(parts),
    putSupplier(parts),
    deleteSupplier(parts),
    addCredential(parts),
    deleteCredential(parts),
  ]
}

function listSuppliers({ desk, operations }: AccountApiParts): ConsoleEndpoint {
  const page = { limit: MOST_CREDENTIALS, cursor: null }
  return {
    method: 'GET',
    path: SUPPLIERS,
    access: 'owner',
    handle: (_, { accountId }) => {
      const data = desk.listSuppliers(accountId).map((supplier) => ({
        ...Supplier.show(supplier),
        credentials: operations
          .listCredentials(supplier.id, page)
          .data.map((credential) => CredentialView.show(credential)),
      }))
      return Response.json({ data, next_cursor: null })
    },
  }
}

function putSupplier({ forwardTo }: AccountApiParts): ConsoleEndpoint {
  const forward = forwardTo('PUT /suppliers/:id')
  return {
    method: 'PUT',
    path: SUPPLIER,
    access: 'owner',
    handle: async (exchange, { accountId }) => {
      const body = parseJson(await exchange.readText())
      const text = JSON.stringify(isObject(body) ? { ...body, source: 'byok', account_id: accountId } : body)
      return forward(exchange, { params: { id: idOf(exchange) }, text })
    },
  }
}

/** What is none is refused by whoever reads it, in the usual words. */
function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function deleteSupplier({ desk }: AccountApiParts): ConsoleEndpoint {
  return {
    method: 'DELETE',
    path: SUPPLIER,
    access: 'owner',
    handle: async (exchange, { accountId, actor }) => {
      const id = idOf(exchange)
      await desk.deleteSupplier(accountId, id, actor)
      return Response.json({ id, deleted: true })
    },
  }
}

function addCredential({ desk, forwardTo }: AccountApiParts): ConsoleEndpoint {
  const forward = forwardTo('POST /suppliers/:id/credentials')
  return {
    method: 'POST',
    path: `${SUPPLIER}/credentials` as const,
    access: 'owner',
    handle: (exchange, { accountId }) => {
      const id = idOf(exchange)
      desk.requireSupplier(accountId, id)
      return forward(exchange, { params: { id } })
    },
  }
}

function deleteCredential({ desk, forwardTo }: AccountApiParts): ConsoleEndpoint {
  const forward = forwardTo('DELETE /credentials/:id')
  return {
    method: 'DELETE',
    path: `${ACCOUNT_PATH}/own-credentials/:id` as const,
    access: 'owner',
    handle: (exchange, { accountId }) => {
      const id = idOf(exchange)
      desk.requireCredential(accountId, id)
      return forward(exchange, { params: { id } })
    },
  }
}
