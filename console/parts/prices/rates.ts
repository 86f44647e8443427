import type { RateName } from '../../../src/vocabulary/price.ts'

export interface Rate {
  readonly name: RateName
  /** What the amount is for. */
  readonly per: 'million' | 'unit'
  /** Every price has it. The others are for what only some suppliers price apart. */
  readonly isGeneral: boolean
  readonly isRequired: boolean
}

// The build inserts what the gateway knows about prices here.
declare const BUILT_IN_PRICE_FACTS: { readonly rates: readonly Rate[]; readonly tiers: readonly string[] }

/** The rates of a price and the service tiers, as the gateway defines them. */
export const { rates: RATES, tiers: SERVICE_TIERS } = BUILT_IN_PRICE_FACTS
