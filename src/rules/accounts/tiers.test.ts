import { describe, expect, test } from 'bun:test'
import type { TierAssignment } from '../../vocabulary/account.ts'
import { accountLimits, effectiveTier, TIERS, tierDue } from './tiers.ts'

const NOW_MS = 1_000_000

function assign(change: Partial<TierAssignment>): TierAssignment {
  return {
    tier: 'Trial',
    rpm: null,
    tpm: null,
    expiresAtMs: null,
    reason: 'test',
    assignedBy: 'op',
    ...change,
  }
}

describe('tiers', () => {
  test('8.2 the table', () => {
    expect(TIERS).toEqual({
      Starter: { rpm: 120, tpm: 2_000_000, earnedAtPaidNano: 0n },
      Builder: { rpm: 600, tpm: 10_000_000, earnedAtPaidNano: 10n * 10n ** 9n },
      Scale: { rpm: 1_500, tpm: 30_000_000, earnedAtPaidNano: 200n * 10n ** 9n },
      Enterprise: { rpm: 3_000, tpm: 60_000_000, earnedAtPaidNano: null },
      Trial: { rpm: 30, tpm: 500_000, earnedAtPaidNano: null },
    })
  })

  test('without an assignment the earned tier holds', () => {
    const account = { earnedTier: 'Builder', tierAssignment: null } as const
    expect(effectiveTier(account, NOW_MS)).toBe('Builder')
    expect(accountLimits(account, NOW_MS)).toEqual({ rpm: 600, tpm: 10_000_000 })
  })

  test('an assignment may lower the earned tier, and ends at its very millisecond', () => {
    const account = { earnedTier: 'Scale', tierAssignment: assign({ expiresAtMs: NOW_MS + 1 }) } as const
    expect(effectiveTier(account, NOW_MS)).toBe('Trial')
    expect(accountLimits(account, NOW_MS)).toEqual({ rpm: 30, tpm: 500_000 })
    expect(effectiveTier(account, NOW_MS + 1)).toBe('Scale')
    expect(accountLimits(account, NOW_MS + 1)).toEqual({ rpm: 1_500, tpm: 30_000_000 })
  })

  test("an assignment's own limits replace the tier's one by one", () => {
    const assignment = assign({ tier: 'Enterprise', rpm: 9_000 })
    const account = { earnedTier: 'Starter', tierAssignment: assignment } as const
    expect(accountLimits(account, NOW_MS)).toEqual({ rpm: 9_000, tpm: 60_000_000 })
  })
})

test.each([
  ['Starter', 250n, 'Scale'],
  ['Builder', 200n, 'Scale'],
  ['Starter', 9n, null],
  ['Scale', 250n, null],
  ['Scale', 0n, null],
  ['Trial', 250n, null],
  ['Deleted', 0n, 'Starter'],
])('an account with %s that has paid %s is due %p', (earnedTier, paid, due) => {
  expect(tierDue({ earnedTier, totalPaidNano: paid * 10n ** 9n })).toBe(due)
})
