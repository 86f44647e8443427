import { isIP } from 'node:net'
import { GatewayError } from '../../errors/gateway-error.ts'
import { isPublicAddress } from '../../rules/access/public-address.ts'
import { BUILT_IN_CATALOG } from '../../rules/catalog/built-in/built-in-catalog.ts'
import type { Supplier, SupplierSettings } from '../../vocabulary/supply.ts'
import type { Operations } from '../ports/operations.ts'
import type { Change, ChangeDesk } from './change-desk.ts'
import { refuse } from './refuse.ts'
import { deleteSupplier, putSupplier } from './supply.ts'

type OwnSupplierOperations = Pick<Operations, 'putOwnSupplier' | 'deleteOwnSupplier'>

export function ownSupplierOperations({ makeChange }: ChangeDesk): OwnSupplierOperations {
  return {
    putOwnSupplier: (supplier, actor) => makeChange(actor, (change) => putOwnSupplier(change, supplier)),
    deleteOwnSupplier: (id, actor) => makeChange(actor, (change) => deleteSupplier(change, id)),
  }
}

function putOwnSupplier(change: Change, supplier: SupplierSettings): Promise<Supplier> {
  const before = change.snapshot.supply.suppliers.get(supplier.id)
  const isTaken = before === undefined ? isVendor(supplier.id) : !isOwn(before, supplier.accountId)
  if (isTaken || !isOwn(supplier, supplier.accountId)) {
    throw new GatewayError('not_found', `The supplier id "${supplier.id}" is not to be had; choose another.`)
  }
  // What an operator has allowed may stay.
  const allowed = new Map(before === undefined ? [] : addressesOf(before))
  for (const [param, address] of addressesOf(supplier)) {
    if (allowed.get(param) !== address && !isSimulator(change, supplier)) checkReach(param, address)
  }
  return putSupplier(change, supplier)
}

/** Such a name is the platform's, for the day it has a key there. */
function isVendor(id: string): boolean {
  return BUILT_IN_CATALOG.vendors.some(({ vendor }) => vendor === id)
}

/** Everything a supplier's settings may have the gateway call: an option that is an address counts, whatever it is for. */
function addressesOf({ baseUrl, options }: SupplierSettings): (readonly [param: string, address: string])[] {
  const inOptions = Object.entries(options).filter(([, value]) => URL.canParse(value))
  return [['base_url', baseUrl], ...inOptions.map(([name, value]) => [`options.${name}`, value] as const)]
}

function isOwn(supplier: SupplierSettings, accountId: string | null): boolean {
  return supplier.source === 'byok' && accountId !== null && supplier.accountId === accountId
}

/**
 * Refuses addresses by which an account could have the gateway call what only the gateway can reach. A public name may
 * still lead to a private address, but what answers there has no certificate for that name, and redirects are not
 * followed.
 */
function checkReach(param: string, address: string): void {
  const url = URL.parse(address)
  // An unreadable one is refused in better words by those who check every supplier.
  if (url === null) return
  if (url.protocol !== 'https:') refuse(param, `${param} must be an https address.`)
  if (!isPublicHost(url.hostname.replace(/^\[|\]$/g, ''))) {
    refuse(param, `${param} must lead to a public address.`)
  }
}

/**
 * The simulator of this gateway costs nobody anything. Anything else that is shared may be a machine of ours that asks
 * for no key, and would be used for nothing.
 */
function isSimulator({ parts, snapshot }: Change, { type, baseUrl }: SupplierSettings): boolean {
  if (parts.supplierTypes.find(({ name }) => name === type)?.isSimulated !== true) return false
  const place = baseUrl.replace(/\/+$/, '')
  return [...snapshot.supply.suppliers.values()].some(
    (shared) => shared.source === 'shared' && shared.type === type && shared.baseUrl === place,
  )
}

function isPublicHost(hostname: string): boolean {
  if (isIP(hostname) !== 0) return isPublicAddress(hostname)
  return hostname.includes('.') && !/(^|\.)(localhost|local|internal|home\.arpa|lan)\.?$/i.test(hostname)
}
