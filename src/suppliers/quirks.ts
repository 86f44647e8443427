import type { Traits } from '../vocabulary/runtime/traits.ts'
import type { Format, Supplier } from '../vocabulary/supply.ts'
import { vendorOf } from './openai-compatible/vendors.ts'

/** In what a supplier departs from a format it says it speaks. */
export interface Quirks {
  /** What it lacks whatever the model: these stand over the traits of the format and over those of the model. */
  readonly traits: Partial<Traits>
  /** False when it refuses messages that say who wrote them. */
  readonly takesMessageNames: boolean
  /** Members of a request that it refuses and that may be left out; the client is told. */
  readonly refuses: readonly string[]
  /** Members it does not understand and that only the gateway needs; left out without a word. */
  readonly ignores: readonly string[]
  /** Its own names for members, by the format's. */
  readonly renames: Readonly<Record<string, string>>
  /** Official clients stumble over its answers, so each is read and told anew. */
  readonly isRetold: boolean
}

export type QuirksByFormat = Readonly<Partial<Record<Format, Quirks>>>

// A supplier is an immutable object of a snapshot, so what was worked out for it once holds for as long as it lives.
const known = new WeakMap<Supplier, QuirksByFormat | null>()

/** null for a supplier that does as its format says, which is nearly every one. */
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
