import type { Format, Supplier } from '../../vocabulary/supply.ts'
import type { OperationParts } from './parts.ts'
import { refuse } from './refuse.ts'

/** Refuses a supplier this version could not call: better told now than by a request that fails later. */
export function checkSupplier(parts: OperationParts, supplier: Supplier): void {
  if (!/^[a-z0-9][a-z0-9-]{0,63}$/.test(supplier.id)) {
    refuse(
      'id',
      'A supplier id is 1 to 64 lower-case letters, digits and hyphens, not starting with a hyphen.',
    )
  }
  checkSource(supplier)
  checkBaseUrl(supplier.baseUrl)
  const type = parts.supplierTypes.find((each) => each.name === supplier.type)
  if (!type) {
    refuse(
      'type',
      unsupported(
        `Supplier type "${supplier.type}"`,
        parts.supplierTypes.map((each) => each.name),
      ),
    )
  }
  const callable = type.formats.filter((format) => parts.formats.includes(format))
  checkFormats(supplier, callable)
}

function checkSource(supplier: Supplier): void {
  if (supplier.source !== 'shared') refuse('source', unsupported(`Source "${supplier.source}"`, ['shared']))
  if (supplier.accountId !== null) refuse('account_id', 'account_id is only for suppliers of source "byok".')
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
