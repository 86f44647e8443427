import { amount, flag, integer, limit, text } from '../field.ts'
import type { NanoUsdt } from '../money.ts'
import { shape, type Value } from '../shape.ts'
import type { TIER_NAMES } from '../words.ts'
import { record, recordId } from './record.ts'

const NAME_RULE = 'a text of 1 to 60 characters that does not begin with a digit or a space'

/** A tier of accounts: its limits, and what earns it. */
export const Tier = shape('Tier', {
  id: recordId('gold'),
  name: text(60, { pattern: '^[^\\s\\d]', takes: NAME_RULE })
    .note('What accounts and mark-ups call it.')
    .example('Gold'),
  rpm: limit().note('Requests per minute; null for no limit.').example(2_000),
  tpm: limit().note('Tokens per minute; null for no limit.').example(40_000_000),
  earnedAtPaidNano: amount()
    .as('earned_at')
    .nullable()
    .default(null)
    .note(
      'The total paid that earns it, 0 for new accounts; null when only operators assign it. Of two with the same, the one listed first is earned.',
    )
    .example('1000'),
  position: integer().default(0).note('Lower positions are listed first.').example(60),
  enabled: flag().default(true).note('A tier that is not enabled does not exist for accounts.'),
})
export type Tier = Value<typeof Tier>

/** What a tier means for an account that has it. */
export type TierSettings = Pick<Tier, 'rpm' | 'tpm' | 'earnedAtPaidNano'>

type BuiltInTierName = (typeof TIER_NAMES)[number]

/** The tiers of spec 8.2. */
const BUILT_IN: readonly Tier[] = [
  builtIn('Starter', 10, { rpm: 120, tpm: 2_000_000, earnedAtPaidNano: 0n }),
  builtIn('Builder', 20, { rpm: 600, tpm: 10_000_000, earnedAtPaidNano: usdt(10n) }),
  builtIn('Scale', 30, { rpm: 1_500, tpm: 30_000_000, earnedAtPaidNano: usdt(200n) }),
  builtIn('Enterprise', 40, { rpm: 3_000, tpm: 60_000_000, earnedAtPaidNano: null }),
  builtIn('Trial', 50, { rpm: 30, tpm: 500_000, earnedAtPaidNano: null }),
]

export const Tiers = record('tiers', Tier, {
  about:
    'The tiers that accounts earn or are assigned. Five are built in; a record with the id of one replaces it. A change is in force from the next request on.',
  order: ['position'],
  builtIn: BUILT_IN,
  isConfiguration: true,
})

/** The tiers that exist, by name. It has no prototype, so that no other name is found in it. */
export type TierTable = Readonly<Record<string, TierSettings>>

/** The tiers that exist when these are stored. */
export function indexTiers(stored: readonly Tier[]): TierTable {
  const table: Record<string, TierSettings> = Object.create(null)
  for (const { name, rpm, tpm, earnedAtPaidNano } of enabledTiers(stored)) {
    table[name] = { rpm, tpm, earnedAtPaidNano }
  }
  return table
}

/** Those that are stored and the built-in ones that they do not replace, in the order of lists. */
export function enabledTiers(stored: readonly Tier[]): readonly Tier[] {
  const enabled = Tiers.inForce(stored).filter((tier) => tier.enabled)
  return enabled.toSorted((a, b) => (Tiers.positionOf(a) < Tiers.positionOf(b) ? -1 : 1))
}

/** The tiers when nothing is configured. */
export const TIERS = indexTiers([]) as Readonly<Record<BuiltInTierName, TierSettings>>

function builtIn(name: BuiltInTierName, position: number, settings: TierSettings): Tier {
  return { id: name.toLowerCase(), name, ...settings, position, enabled: true }
}

function usdt(whole: bigint): NanoUsdt {
  return whole * 1_000_000_000n
}
