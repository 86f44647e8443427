import type { Static } from 'typebox'
import type { Endpoint } from '../../../gateway/ports/exchange.ts'
import type { CredentialSettings, Operations } from '../../../gateway/ports/operations.ts'
import { describeCredential, describeSupplier } from '../../../rules/catalog/describe-supply.ts'
import type { Supplier } from '../../../vocabulary/supply.ts'
import { actorOf, OPERATOR_PATH } from './address.ts'
import { listEndpoint } from './list-endpoint.ts'
import { bodyReader } from './read-body.ts'
import { idOf } from './read-values.ts'
import { renderListing } from './render.ts'
import { CredentialBody, CredentialChangeBody, SupplierBody } from './schema.ts'

const SUPPLIERS = `${OPERATOR_PATH}/suppliers`
const SUPPLIER = `${SUPPLIERS}/:id`
const CREDENTIALS = `${SUPPLIER}/credentials`
const CREDENTIAL = `${OPERATOR_PATH}/credentials/:id`

export function supplierEndpoints(operations: Operations): Endpoint[] {
  return [
    listEndpoint({ path: SUPPLIERS }, (page) =>
      renderListing(operations.listSuppliers(page), describeSupplier),
    ),
    {
      method: 'GET',
      path: SUPPLIER,
      handle: (exchange) => Response.json(describeSupplier(operations.findSupplier(idOf(exchange)))),
    },
    putSupplier(operations),
    listEndpoint({ path: CREDENTIALS }, (page, exchange) =>
      renderListing(operations.listCredentials(idOf(exchange), page), describeCredential),
    ),
    addCredential(operations),
    changeCredential(operations),
    {
      method: 'DELETE',
      path: CREDENTIAL,
      handle: async (exchange) => {
        await operations.deleteCredential(idOf(exchange), actorOf(exchange))
        return Response.json({ id: idOf(exchange), deleted: true })
      },
    },
  ]
}

function putSupplier(operations: Operations): Endpoint {
  const readBody = bodyReader(SupplierBody)
  return {
    method: 'PUT',
    path: SUPPLIER,
    handle: async (exchange) => {
      const supplier = readSupplier(idOf(exchange), await readBody(exchange))
      return Response.json(describeSupplier(await operations.putSupplier(supplier, actorOf(exchange))))
    },
  }
}

function readSupplier(id: string, body: Static<typeof SupplierBody>): Supplier {
  const { source = 'shared', account_id = null, enabled = true, options = {}, timeouts = {} } = body
  return {
    id,
    type: body.type,
    baseUrl: body.base_url,
    formats: body.formats,
    source,
    accountId: account_id,
    enabled,
    options,
    timeouts: {
      connectMs: readSeconds(timeouts.connect_seconds),
      firstByteMs: readSeconds(timeouts.first_byte_seconds),
      idleMs: readSeconds(timeouts.idle_seconds),
    },
  }
}

function readSeconds(seconds: number | null | undefined): number | null {
  return seconds === null || seconds === undefined ? null : Math.round(seconds * 1_000)
}

function addCredential(operations: Operations): Endpoint {
  const readBody = bodyReader(CredentialBody)
  return {
    method: 'POST',
    path: CREDENTIALS,
    handle: async (exchange) => {
      const { secret, label = null, rpm = null, tpm = null, weight = 1 } = await readBody(exchange)
      const input = { secret, label, rpm, tpm, weight, state: 'active' } as const
      const credential = await operations.addCredential(idOf(exchange), input, actorOf(exchange))
      return Response.json(describeCredential(credential))
    },
  }
}

function changeCredential(operations: Operations): Endpoint {
  const readBody = bodyReader(CredentialChangeBody)
  return {
    method: 'PATCH',
    path: CREDENTIAL,
    handle: async (exchange) => {
      const change = readCredentialChange(await readBody(exchange))
      const credential = await operations.changeCredential(idOf(exchange), change, actorOf(exchange))
      return Response.json(describeCredential(credential))
    },
  }
}

function readCredentialChange(
  body: Static<typeof CredentialChangeBody>,
): Partial<CredentialSettings & { secret: string }> {
  const { secret, label, rpm, tpm, weight, state } = body
  return {
    ...(secret !== undefined && { secret }),
    ...(label !== undefined && { label }),
    ...(rpm !== undefined && { rpm }),
    ...(tpm !== undefined && { tpm }),
    ...(weight !== undefined && { weight }),
    ...(state !== undefined && { state }),
  }
}
