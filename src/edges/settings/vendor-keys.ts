import type { Vendor } from '../../rules/catalog/built-in/schema.ts'
import type { VendorKey } from '../../rules/catalog/built-in/vendor-supply.ts'

/** How the environment is read: a value that cannot be used stops the start. */
export interface VendorReader {
  token(name: string, rule: { readonly least: number }): string | null
  address(name: string): string | null
}

/** The keys of vendors the environment holds, under the names the vendors' own SDKs use. */
export function readVendorKeys(read: VendorReader, vendors: readonly Vendor[]): VendorKey[] {
  const keys: VendorKey[] = []
  for (const { vendor, key_variables, base_url_variable } of vendors) {
    const secret = firstKey(read, key_variables)
    // An address alone is for programs that call the vendor themselves; it registers nothing.
    if (secret === null) continue
    keys.push({
      vendor,
      secret,
      baseUrl: base_url_variable === null ? null : read.address(base_url_variable),
    })
  }
  return keys
}

function firstKey(read: VendorReader, names: readonly string[]): string | null {
  for (const name of names) {
    const secret = read.token(name, { least: 1 })
    if (secret !== null) return secret
  }
  return null
}
