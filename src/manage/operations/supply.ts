import { isIP } from 'node:net'
import { isDeepStrictEqual } from 'node:util'
import { GatewayError } from '../../errors/gateway-error.ts'
import { isPublicAddress } from '../../rules/access/public-address.ts'
import { listSupply, withSupply } from '../../rules/catalog/build-snapshot.ts'
import { BUILT_IN_CATALOG } from '../../rules/catalog/built-in/built-in-catalog.ts'
import { wildcardsTo } from '../../rules/catalog/names.ts'
import { wireName } from '../../vocabulary/shape.ts'
import {
  type Credential,
  CredentialView,
  type Format,
  Supplier,
  type SupplierSettings,
  SupplierTimeouts,
  viewCredential,
} from '../../vocabulary/supply.ts'
import { type ListTerms, listItems, pageOf, positionById } from './paging.ts'
import type { CallableType, Change, Changes, LocalOperations, OperationParts } from './parts.ts'
import { nameSome, refuse, requireCredential, requireSupplier } from './refuse.ts'

export function supplyOperations(parts: OperationParts) {
  const { configuration } = parts
  return {
    listSuppliers: (page, query = {}) => {
      const { suppliers } = configuration.current().supply
      const wanted = suppliers
        .values()
        .filter(({ source }) => query.source === undefined || source === query.source)
      return listItems(wanted, { page, query }, SUPPLIER_TERMS)
    },
    findSupplier: (id) => requireSupplier(configuration.current(), id),
    listCredentials: (supplierId, page) => {
      const snapshot = configuration.current()
      requireSupplier(snapshot, supplierId)
      const credentials = snapshot.supply.credentialsBySupplier.get(supplierId) ?? []
      return pageOf(credentials.map(viewCredential), page, positionById)
    },
  } satisfies Partial<LocalOperations>
}

const SUPPLIER_TERMS: ListTerms<Supplier, 'id' | 'type'> = {
  positionOf: positionById,
  textsOf: ({ id, type, baseUrl }) => [id, type, baseUrl],
  rankOf: { id: ({ id }) => id, type: ({ type }) => type },
}

export const supplyChanges = {
  putSupplier,

  deleteOwnSupplier: deleteSupplier,

  async deleteSupplier(change, id) {
    requireSupplier(change.snapshot, id)
    const routes = listSupply(change.snapshot.supply).routes.filter(({ supplierId }) => supplierId === id)
    if (routes.length > 0) {
      const models = nameSome(routes.map(({ modelId }) => modelId))
      refuse('id', `Supplier "${id}" has routes of ${models}; delete these routes first.`)
    }
    const wildcards = wildcardsTo(change.snapshot, id)
    if (wildcards.length > 0) {
      const patterns = nameSome(wildcards.map(({ pattern }) => pattern))
      refuse('id', `Supplier "${id}" has wildcards: ${patterns}; delete these first.`)
    }
    await deleteSupplier(change, id)
  },

  putOwnSupplier(change, supplier) {
    const before = change.snapshot.supply.suppliers.get(supplier.id)
    const isTaken = before === undefined ? isVendor(supplier.id) : !isOwn(before, supplier.accountId)
    if (isTaken || !isOwn(supplier, supplier.accountId)) {
      throw new GatewayError(
        'not_found',
        `The supplier id "${supplier.id}" is not to be had; choose another.`,
      )
    }
    // What an operator has allowed may stay.
    const allowed = new Map(before === undefined ? [] : addressesOf(before))
    for (const [param, address] of addressesOf(supplier)) {
      if (allowed.get(param) !== address && !isSimulator(change, supplier)) checkReach(param, address)
    }
    return putSupplier(change, supplier)
  },

  async addCredential(change, supplierId, input) {
    checkSecret(change.parts, requireSupplier(change.snapshot, supplierId), input.secret)
    const credential: Credential = { ...input, id: change.parts.random.id('cred'), supplierId }
    return saveCredential(change, 'credential.added', { before: null, after: credential })
  },

  async changeCredential(change, id, edit) {
    const before = requireCredential(change.snapshot, id)
    const after = { ...before, ...edit }
    const isRotated = after.secret !== before.secret
    if (isRotated)
      checkSecret(change.parts, requireSupplier(change.snapshot, before.supplierId), after.secret)
    // What is shown of a credential may look the same before and after, so the action says what happened.
    const action = isRotated ? 'credential.rotated' : 'credential.changed'
    const saved = await saveCredential(change, action, { before, after })
    // Enabling a credential again means that its problem was fixed.
    const { supplierId } = before
    if (before.state !== 'active') change.parts.routing.forgetCredential({ supplierId, credentialId: id })
    return saved
  },

  async deleteCredential(change, id) {
    const before = requireCredential(change.snapshot, id)
    const described = { before: showCredential(before), after: null }
    await change.parts.storage.deleteCredential(id, change.audit('credential.deleted', id, described))
    publishCredentials(change, id, [])
  },

  async disableRefused(change, { id, supplierId, secret }) {
    const { credentialsBySupplier } = change.snapshot.supply
    const before = credentialsBySupplier.get(supplierId)?.find((credential) => credential.id === id)
    if (before?.state !== 'active' || before.secret !== secret) return false
    const after: Credential = { ...before, state: 'disabled' }
    await saveCredential(change, 'credential.changed', { before, after })
    return true
  },
} satisfies Changes

async function putSupplier(change: Change, given: SupplierSettings): Promise<Supplier> {
  const before = change.snapshot.supply.suppliers.get(given.id) ?? null
  const after = completeSupplier(change.parts, given)
  checkSupplier(change.parts, after)
  if (isDeepStrictEqual(before, after)) return after
  const action = before ? 'supplier.changed' : 'supplier.created'
  const described = { before: before && Supplier.show(before), after: Supplier.show(after) }
  await change.parts.storage.saveSupplier(after, change.audit(action, after.id, described))
  change.publish((snapshot) => {
    const others = listSupply(snapshot.supply).suppliers.filter((each) => each.id !== after.id)
    return withSupply(snapshot, { suppliers: [...others, after] })
  })
  return after
}

/** Takes its routes and credentials along. */
async function deleteSupplier(change: Change, id: string): Promise<void> {
  const before = requireSupplier(change.snapshot, id)
  const naming = [...change.snapshot.keys.values()].find(
    ({ state, routePolicy }) =>
      state !== 'revoked' && routePolicy.mode === 'specified_provider' && routePolicy.provider === id,
  )
  // Such a key could serve nothing, for no visible reason.
  if (naming !== undefined)
    refuse('id', `Key "${naming.name}" is bound to this supplier; change the key first.`)
  const described = { before: Supplier.show(before), after: null }
  await change.parts.storage.deleteSupplier(id, change.audit('supplier.deleted', id, described))
  change.publish((snapshot) => {
    const { suppliers, credentials, routes } = listSupply(snapshot.supply)
    return withSupply(snapshot, {
      suppliers: suppliers.filter((each) => each.id !== id),
      credentials: credentials.filter((each) => each.supplierId !== id),
      routes: routes.filter((each) => each.supplierId !== id),
    })
  })
}

async function saveCredential(
  change: Change,
  action: string,
  { before, after }: { before: Credential | null; after: Credential },
): Promise<CredentialView> {
  checkCredentialSettings(after)
  const view = viewCredential(after)
  if (isDeepStrictEqual(before, after)) return view
  const described = { before: before && showCredential(before), after: CredentialView.show(view) }
  await change.parts.storage.saveCredential(after, change.audit(action, after.id, described))
  publishCredentials(change, after.id, [after])
  return view
}

/** A credential as the audit tells of it. */
export function showCredential(credential: Credential) {
  return CredentialView.show(viewCredential(credential))
}

function publishCredentials(change: Change, id: string, replacement: readonly Credential[]): void {
  change.publish((snapshot) => {
    const others = listSupply(snapshot.supply).credentials.filter((each) => each.id !== id)
    return withSupply(snapshot, { credentials: [...others, ...replacement] })
  })
}

/** Refuses limits and weights no credential can have. */
export function checkCredentialSettings({ weight }: Pick<Credential, 'weight'>): void {
  if (!Number.isFinite(weight) || weight <= 0) {
    refuse('weight', 'weight must be a number greater than zero.')
  }
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
 * The built-in simulator is free. Any other shared supplier may be one of our machines that requires no key, and would
 * then be used without payment.
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

type SupplierParts = Pick<OperationParts, 'configuration' | 'supplierTypes' | 'formats'>

/** A supplier as it is stored: every address is its base URL plus a path that begins with a slash. */
export function completeSupplier(parts: SupplierParts, given: SupplierSettings): Supplier {
  const formats = given.formats ?? callableFormats(parts, typeOf(parts, given))
  return { ...given, formats, baseUrl: given.baseUrl.replace(/\/+$/, '') }
}

function callableFormats({ formats }: SupplierParts, type: CallableType | undefined): readonly Format[] {
  return type?.formats.filter((format) => formats.includes(format)) ?? []
}

/** Refuses a supplier this version could not call: better told now than by a request that fails later. */
export function checkSupplier(parts: SupplierParts, supplier: Supplier): void {
  if (!/^[a-z0-9][a-z0-9-]{0,63}$/.test(supplier.id)) {
    refuse(
      'id',
      'A supplier id is 1 to 64 lower-case letters, digits and hyphens, not starting with a hyphen.',
    )
  }
  checkOwner(parts, supplier)
  checkBaseUrl(supplier.baseUrl)
  const type = requireType(parts, supplier)
  checkFormats(supplier, callableFormats(parts, type))
  checkOptions(type, supplier.options)
  checkTimeouts(supplier.timeouts)
}

/** Refuses a secret that could not be a credential of this supplier. No message repeats any of it. */
export function checkSecret(parts: TypeParts, supplier: Typed, secret: string): void {
  const type = requireType(parts, supplier)
  const complaint = (type.checkSecret ?? checkHeaderSecret)(secret)
  if (complaint !== null) refuse('secret', complaint)
}

/** Most secrets travel in a header, which can carry nothing else. */
function checkHeaderSecret(secret: string): string | null {
  const isFit = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(secret)
  return isFit ? null : 'secret must be visible ASCII text without space around it.'
}

type TypeParts = Pick<OperationParts, 'supplierTypes'>
type Typed = Pick<Supplier, 'type'>

function typeOf({ supplierTypes }: TypeParts, { type }: Typed): CallableType | undefined {
  return supplierTypes.find(({ name }) => name === type)
}

function requireType(parts: TypeParts, supplier: Typed): CallableType {
  const supported = parts.supplierTypes.map(({ name }) => name)
  return typeOf(parts, supplier) ?? refuse('type', unsupported(`Supplier type "${supplier.type}"`, supported))
}

function checkOwner({ configuration }: SupplierParts, supplier: Supplier): void {
  const { accounts, supply } = configuration.current()
  if (supplier.source === 'shared' && supplier.accountId !== null) {
    refuse('account_id', 'account_id is only for suppliers of source "byok".')
  }
  if (supplier.source === 'byok' && supplier.accountId === null) {
    refuse('account_id', 'account_id is required with source "byok": whose credentials they are.')
  }
  if (supplier.accountId !== null && !accounts.has(supplier.accountId)) {
    refuse('account_id', `There is no account "${supplier.accountId}".`)
  }
  const before = supply.suppliers.get(supplier.id)
  if (before === undefined) return
  const isSameOwner = before.source === supplier.source && before.accountId === supplier.accountId
  if (isSameOwner || (supply.credentialsBySupplier.get(supplier.id) ?? []).length === 0) return
  refuse(
    before.source === supplier.source ? 'account_id' : 'source',
    'The credentials of this supplier belong to its present owner; delete them before it gets another.',
  )
}

function checkOptions(type: CallableType, options: Supplier['options']): void {
  const known = type.options ?? []
  for (const [name, value] of Object.entries(options)) {
    if (!known.includes(name)) refuse(`options.${name}`, unknownOption(type, name))
    // Options end up in addresses and headers.
    if (!/^[\x20-\x7e]+$/.test(value) || value.trim() === '') {
      refuse(`options.${name}`, `options.${name} must be visible ASCII text.`)
    }
  }
}

function unknownOption({ name: type, options = [] }: CallableType, name: string): string {
  const known = options.length === 0 ? 'it has none' : `it has: ${options.join(', ')}`
  return `Supplier type "${type}" has no option "${name}"; ${known}.`
}

const LONGEST_MS = 3_600_000
const LONGEST_CONNECT_MS = 60_000
const SHORTEST_MS = 100

function checkTimeouts(timeouts: SupplierTimeouts): void {
  for (const [name, field] of Object.entries(SupplierTimeouts.fields)) {
    const valueMs = timeouts[name as keyof SupplierTimeouts]
    const mostMs = name === 'connectMs' ? LONGEST_CONNECT_MS : LONGEST_MS
    if (valueMs === null || (valueMs >= SHORTEST_MS && valueMs <= mostMs)) continue
    const param = `timeouts.${wireName(name, field)}`
    const range = `from ${SHORTEST_MS / 1_000} to ${mostMs / 1_000}`
    refuse(param, `${param} must be ${range}, or null for the usual time.`)
  }
}

function checkFormats(supplier: Supplier, callable: readonly Format[]): void {
  if (supplier.formats.length === 0) refuse('formats', 'formats must name at least one format.')
  const index = supplier.formats.findIndex((format) => !callable.includes(format))
  if (index < 0) return
  const subject = `Format "${supplier.formats[index]}" of supplier type "${supplier.type}"`
  refuse(`formats[${index}]`, unsupported(subject, callable))
}

function checkBaseUrl(baseUrl: string): void {
  // Its text never goes into the message: an address with a password in it would be shown.
  const url = URL.parse(baseUrl)
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    refuse('base_url', 'base_url must be an http or https URL.')
  }
  if (url.username !== '' || url.password !== '') {
    refuse('base_url', 'base_url must not carry credentials; add them as a credential of the supplier.')
  }
  if (/[?#]/.test(baseUrl)) refuse('base_url', 'base_url must not have a query or a fragment.')
}

function unsupported(subject: string, supported: readonly string[]): string {
  return `${subject} does not exist. Use one of: ${supported.join(', ')}.`
}
