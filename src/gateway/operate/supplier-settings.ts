import { wireName } from '../../vocabulary/shape.ts'
import {
  type Format,
  type Supplier,
  type SupplierSettings,
  SupplierTimeouts,
} from '../../vocabulary/supply.ts'
import type { CallableType, OperationParts } from './parts.ts'
import { refuse } from './refuse.ts'

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
  return `${subject} is not supported by this version; supported: ${supported.join(', ')}.`
}
