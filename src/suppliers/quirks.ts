import type { Format, Supplier } from '../vocabulary/supply.ts'
import { vendorOf } from './openai-compatible/vendors.ts'
import type { Quirks, QuirksByFormat } from './quirk.ts'

// Suppliers are immutable, so their quirks are computed once.
const known = new WeakMap<Supplier, QuirksByFormat | null>()

/** null for suppliers without quirks, which is nearly all of them. */
export function quirksOf(supplier: Supplier, format: Format): Quirks | null {
  let quirks = known.get(supplier)
  if (quirks === undefined) {
    quirks = findQuirks(supplier)
    known.set(supplier, quirks)
  }
  return quirks?.[format] ?? null
}

function findQuirks(supplier: Supplier): QuirksByFormat | null {
  if (supplier.type !== 'openai-compatible') return null
  return vendorOf(supplier)?.quirks ?? null
}
