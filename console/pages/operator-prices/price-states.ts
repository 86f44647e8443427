import type { PriceDifference } from '../../api/wire.ts'
import type { Tone } from '../../parts/layout/status-badge.tsx'
import { sumAmounts } from '../../parts/text/decimal.ts'
import { describeChange, shareOfChange, subtractAmounts } from '../../parts/text/exact-amount.ts'
import { formatMoney } from '../../parts/text/format.ts'

export type PriceState = PriceDifference['state']

interface StateFacts {
  readonly label: string
  readonly tone: Tone
  readonly meaning: string
}

/** In the order of the list: what asks for a decision comes first. */
export const STATES: Readonly<Record<PriceState, StateFacts>> = {
  changed: { label: 'Changed', tone: 'info', meaning: 'The catalog has another price.' },
  unpriced: { label: 'No price', tone: 'warning', meaning: 'The route has no price and is not used.' },
  missing: { label: 'Unlisted', tone: 'neutral', meaning: 'The catalog does not know this model.' },
  new: {
    label: 'New',
    tone: 'info',
    meaning: 'The catalog offers it at this supplier, and there is no route.',
  },
  same: { label: 'Same', tone: 'good', meaning: 'The price is that of the catalog.' },
}

const ORDER = Object.keys(STATES)

export function sortDifferences(differences: readonly PriceDifference[]): readonly PriceDifference[] {
  return differences.toSorted((one, other) => ORDER.indexOf(one.state) - ORDER.indexOf(other.state))
}

/** Whether the catalog has a price that the route could take. */
export function isApplicable({ state, catalog }: PriceDifference): boolean {
  return (state === 'changed' || state === 'unpriced') && catalog !== null
}

/** Whether its price is the catalog's, from one "apply all" to the next. */
export function isFollowing({ price_source: source }: PriceDifference): boolean {
  return source === 'catalog'
}

/** Whether it is among those that "apply all" changes. */
export function doesFollow(difference: PriceDifference): boolean {
  return isFollowing(difference) && isApplicable(difference)
}

export interface Effect {
  readonly before: string
  readonly after: string
}

/** What accounts would have paid for a month at the present prices and at those of the catalog; null without requests. */
export function effectOf(differences: readonly PriceDifference[]): Effect | null {
  const bills = differences.flatMap(({ bill }) => bill ?? [])
  if (bills.length === 0) return null
  return {
    before: sumAmounts(bills.map((bill) => bill.present_amount)),
    after: sumAmounts(bills.map((bill) => bill.catalog_amount)),
  }
}

/** `+1.25 (+10%)`. */
export function describeEffect({ before, after }: Effect): string {
  const difference = subtractAmounts(after, before)
  if (difference === '0') return 'no change'
  const share = shareOfChange(before, after)
  const sign = difference.startsWith('-') ? '' : '+'
  return `${sign}${formatMoney(difference)}${share === null ? '' : ` (${describeChange(share)})`}`
}
