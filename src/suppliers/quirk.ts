import type { Traits } from '../vocabulary/runtime/traits.ts'
import type { Format } from '../vocabulary/supply.ts'
/** How a supplier deviates from a format it claims to speak. */
export interface Quirks {
  /** What it lacks whatever the model: these stand over the traits of the format and over those of the model. */
  readonly traits: Partial<Traits>
  /** False when it refuses messages that say who wrote them. */
  readonly takesMessageNames: boolean
  /** Members of a request that it refuses and that may be left out; the client is told. */
  readonly refuses: readonly string[]
  /** Members that only the gateway needs and the supplier does not understand; omitted silently. */
  readonly ignores: readonly string[]
  /** Its own names for members, by the format's. */
  readonly renames: Readonly<Record<string, string>>
  /** Official clients fail on its answers, so each answer is decoded and encoded again. */
  readonly isRetold: boolean
}

export type QuirksByFormat = Readonly<Partial<Record<Format, Quirks>>>
