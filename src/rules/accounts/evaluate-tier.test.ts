import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { TierName } from '../../vocabulary/account.ts'
import { parseUsdt } from '../../vocabulary/money.ts'
import { TIER_NAMES } from '../../vocabulary/words.ts'
import { evaluateTier, TIERS, type TierDecision, type TierTerms, tierEarnedBy } from './tiers.ts'

const DAY_MS = 86_400_000
const NOW_MS = Date.parse('2026-06-10T12:00:00Z')
const NEVER_LOWERED: TierTerms = { nowMs: NOW_MS, graceMs: null, doubtedSinceMs: null }
const TWO_WEEKS: TierTerms = { ...NEVER_LOWERED, graceMs: 14 * DAY_MS }

const paid = (amount: string) => parseUsdt(amount, 'amount')

describe('what a total earns', () => {
  test.each([
    ['0', 'Starter'],
    ['9.999999999', 'Starter'],
    ['10', 'Builder'],
    ['199.999999999', 'Builder'],
    ['200', 'Scale'],
    ['1000000', 'Scale'],
  ] as const)('8.2 %s USDT earns %s', (amount, tier) => {
    expect(tierEarnedBy(paid(amount))).toBe(tier)
  })
})

describe('without downgrade', () => {
  test.each([
    ['Starter', '9.999999999', { kind: 'keep' }],
    ['Starter', '10', { kind: 'raise', to: 'Builder' }],
    ['Starter', '200', { kind: 'raise', to: 'Scale' }],
    ['Builder', '10', { kind: 'keep' }],
    ['Builder', '199.999999999', { kind: 'keep' }],
    ['Builder', '200', { kind: 'raise', to: 'Scale' }],
    ['Scale', '200', { kind: 'keep' }],
    // 3.1 rule 2: an account keeps a tier it has reached.
    ['Scale', '0', { kind: 'keep' }],
    ['Builder', '0', { kind: 'keep' }],
    ['Enterprise', '0', { kind: 'keep' }],
  ] as const)('3.1 %s with %s USDT paid: %j', (earnedTier, amount, decision) => {
    expect(evaluateTier({ earnedTier, totalPaidNano: paid(amount) }, NEVER_LOWERED)).toEqual(decision)
  })

  test('a doubt of a time when downgrade was on is forgotten', () => {
    const account = { earnedTier: 'Scale', totalPaidNano: 0n } as const
    expect(evaluateTier(account, { ...NEVER_LOWERED, doubtedSinceMs: 1 })).toEqual({ kind: 'trust' })
  })
})

describe('3.1 rule 3: with downgrade, after a grace period', () => {
  const account = { earnedTier: 'Scale', totalPaidNano: paid('10') } as const

  test('first it is only doubted', () => {
    expect(evaluateTier(account, TWO_WEEKS)).toEqual({ kind: 'doubt', to: 'Builder' })
  })

  test('it is kept to the last millisecond of the period, then lowered to what is earned', () => {
    const after = (ms: number) => evaluateTier(account, { ...TWO_WEEKS, doubtedSinceMs: NOW_MS - ms })
    expect(after(14 * DAY_MS - 1)).toEqual({ kind: 'keep' })
    expect(after(14 * DAY_MS)).toEqual({ kind: 'lower', to: 'Builder' })
  })

  test('a tier that is earned again is doubted no more', () => {
    const again = { ...account, totalPaidNano: paid('200') }
    expect(evaluateTier(again, { ...TWO_WEEKS, doubtedSinceMs: 1 })).toEqual({ kind: 'trust' })
  })

  test('thresholds that rise put a tier in doubt', () => {
    const dearer = { ...TIERS, Builder: { ...TIERS.Builder, earnedAtPaidNano: paid('20') } }
    const builder = { earnedTier: 'Builder', totalPaidNano: paid('10') } as const
    expect(evaluateTier(builder, TWO_WEEKS)).toEqual({ kind: 'keep' })
    expect(evaluateTier(builder, TWO_WEEKS, dearer)).toEqual({ kind: 'doubt', to: 'Starter' })
  })

  test('a tier that payments do not earn is not lost by them', () => {
    expect(evaluateTier({ earnedTier: 'Enterprise', totalPaidNano: 0n }, TWO_WEEKS)).toEqual({ kind: 'keep' })
  })
})

const tiers = fc.constantFrom(...TIER_NAMES)
const totals = fc.bigInt({ min: 0n, max: 400_000_000_000n })
const terms = fc.record({
  nowMs: fc.constant(NOW_MS),
  graceMs: fc.option(fc.constant(14 * DAY_MS)),
  doubtedSinceMs: fc.option(fc.integer({ min: NOW_MS - 30 * DAY_MS, max: NOW_MS })),
})

/** What account and doubt are after a decision was carried out. */
function carryOut(earnedTier: TierName, given: TierTerms, decision: TierDecision) {
  switch (decision.kind) {
    case 'keep':
      return { earnedTier, given }
    case 'raise':
    case 'lower':
      return { earnedTier: decision.to, given: { ...given, doubtedSinceMs: null } }
    case 'doubt':
      return { earnedTier, given: { ...given, doubtedSinceMs: given.nowMs } }
    case 'trust':
      return { earnedTier, given: { ...given, doubtedSinceMs: null } }
  }
}

describe('laws', () => {
  test('an evaluation repeated at once changes nothing', () => {
    fc.assert(
      fc.property(tiers, totals, terms, (earnedTier, totalPaidNano, given) => {
        const after = carryOut(earnedTier, given, evaluateTier({ earnedTier, totalPaidNano }, given))
        const again = evaluateTier({ earnedTier: after.earnedTier, totalPaidNano }, after.given)
        // A doubt that was just begun is the one thing that may ripen, and only with time.
        expect(again).toEqual({ kind: 'keep' })
      }),
      { numRuns: 1_000 },
    )
  })

  test('without downgrade no tier is ever lowered or doubted', () => {
    fc.assert(
      fc.property(tiers, totals, terms, (earnedTier, totalPaidNano, given) => {
        const { kind } = evaluateTier({ earnedTier, totalPaidNano }, { ...given, graceMs: null })
        expect(['keep', 'raise', 'trust']).toContain(kind)
      }),
      { numRuns: 1_000 },
    )
  })
})
