import { describe, expect, test } from 'bun:test'
import type { Account } from '../../vocabulary/account.ts'
import { indexTiers, TIERS, type Tier, Tiers } from '../../vocabulary/records/tier.ts'
import { anAccount } from '../../vocabulary/testing/specimens.ts'
import { findTierProblem } from './check-tiers.ts'
import { accountLimits, effectiveTier, evaluateTier, tierAbove, tierEarnedBy } from './tiers.ts'

const USDT = 10n ** 9n
const TERMS = { nowMs: 1_000, graceMs: null, doubtedSinceMs: null }

function aTier(fields: Partial<Tier>): Tier {
  const plain = { rpm: 1, tpm: 2, earnedAtPaidNano: null, position: 25, enabled: true }
  return { id: 'gold', name: 'Gold', ...plain, ...fields }
}

function builtIn(id: string, fields: Partial<Tier>): Tier {
  const found = Tiers.inForce([]).find((tier) => tier.id === id)
  if (found === undefined) throw new Error(`no tier "${id}"`)
  return { ...found, ...fields }
}

describe('the table of tiers', () => {
  test('is that of the spec when nothing is stored', () => {
    expect(indexTiers([])).toEqual(TIERS)
    expect(Object.keys(indexTiers([]))).toEqual(['Starter', 'Builder', 'Scale', 'Enterprise', 'Trial'])
  })

  test('has the stored ones at their place, in the stead of built-in ones with the same id', () => {
    const table = indexTiers([
      aTier({}),
      builtIn('starter', { rpm: 7 }),
      builtIn('trial', { enabled: false }),
    ])
    expect(Object.keys(table)).toEqual(['Starter', 'Builder', 'Gold', 'Scale', 'Enterprise'])
    expect(table.Starter?.rpm).toBe(7)
    expect(table.Builder).toEqual(TIERS.Builder)
  })

  test('knows no name that every object has', () => {
    const account = anAccount({ earnedTier: 'constructor' })
    expect(effectiveTier(account, 0, indexTiers([]))).toBe('Starter')
  })

  test('gives an account whose tier is gone the tier that costs nothing, until an evaluation finds its own', () => {
    const tiers = indexTiers([builtIn('scale', { enabled: false })])
    const account = anAccount({ earnedTier: 'Scale', totalPaidNano: 300n * USDT })
    expect(effectiveTier(account, 0, tiers)).toBe('Starter')
    expect(accountLimits(account, 0, tiers)).toEqual({ rpm: 120, tpm: 2_000_000 })
    expect(evaluateTier(account, TERMS, tiers)).toEqual({ kind: 'raise', to: 'Builder' })
  })

  test('gives new accounts the first that costs nothing, and leaves the other to those that have it', () => {
    const tiers = indexTiers([aTier({ earnedAtPaidNano: 0n, position: 1 })])
    expect(tierEarnedBy(0n, tiers)).toBe('Gold')
    expect(evaluateTier(anAccount({ earnedTier: 'Starter' }), TERMS, tiers)).toEqual({ kind: 'keep' })
  })

  test('may have tiers without limits', () => {
    const tiers = indexTiers([aTier({ rpm: null, tpm: null })])
    expect(accountLimits(anAccount({ earnedTier: 'Gold' }), 0, tiers)).toEqual({ rpm: null, tpm: null })
  })

  test('is climbed by thresholds, whatever the order of lists', () => {
    const tiers = indexTiers([aTier({ earnedAtPaidNano: 50n * USDT, position: 0 })])
    expect([9n, 10n, 49n, 50n, 200n].map((total) => tierEarnedBy(total * USDT, tiers))).toEqual([
      'Starter',
      'Builder',
      'Builder',
      'Gold',
      'Scale',
    ])
    expect(tierAbove('Builder', tiers)).toEqual({ name: 'Gold', fromNano: 50n * USDT })
    expect([tierAbove('Scale', tiers), tierAbove('Trial', tiers)]).toEqual([null, null])
  })
})

describe('tiers', () => {
  const known = (...accounts: Account[]) => ({
    accounts: new Map(accounts.map((account) => [account.id, account])),
    tiers: indexTiers([aTier({})]),
    markUps: null,
  })
  const assignment = { rpm: null, tpm: null, expiresAtMs: null, reason: 'r', assignedBy: 'o' }

  test.each<[string, Tier[]]>([
    ['with a new one', [aTier({}), aTier({ id: 'silver', name: 'Silver' })]],
    ['without one that nobody has', []],
    ['with another name for one that nobody has', [aTier({ name: 'Platinum' })]],
    [
      'when another one costs nothing',
      [aTier({ earnedAtPaidNano: 0n }), builtIn('starter', { earnedAtPaidNano: USDT })],
    ],
  ])('can be stored %s', (_, stored) => {
    expect(findTierProblem(stored, known())).toBeNull()
  })

  test.each<[string, Tier[], [string, string]]>([
    ['two with one name', [aTier({ name: 'trial' })], ['name', 'The tiers "gold" and "trial" cannot both']],
    ['none that costs nothing', [builtIn('starter', { earnedAtPaidNano: 1n })], ['earned_at', 'earned at 0']],
    [
      'none enabled that costs nothing',
      [builtIn('starter', { enabled: false })],
      ['earned_at', 'earned at 0'],
    ],
  ])('are refused: %s', (_, stored, [param, message]) => {
    const problem = findTierProblem(stored, known())
    expect(problem).toEqual({ param, message: expect.stringContaining(message) })
  })

  test('are refused without one that an account has earned or is assigned', () => {
    const earned = anAccount({ earnedTier: 'Gold' })
    const assigned = anAccount({ id: 'acc_2', tierAssignment: { tier: 'Gold', ...assignment } })
    const messageOf = (stored: Tier[], ...accounts: Account[]) =>
      findTierProblem(stored, known(...accounts))?.message
    expect(messageOf([], earned)).toBe('1 account has the tier "Gold", earned or assigned.')
    expect(messageOf([], earned, assigned)).toBe('2 accounts have the tier "Gold", earned or assigned.')
    expect(messageOf([aTier({ name: 'Silver' })], assigned)).toContain('1 account has the tier "Gold"')
    expect(messageOf([aTier({ enabled: false })], assigned)).toContain('1 account has the tier "Gold"')
    expect(messageOf([aTier({ rpm: 9 })], earned, assigned)).toBeUndefined()
  })

  test('are refused without one that has a mark-up', () => {
    const none = new Map<string, number>()
    const markUps = { account: none, tier: new Map([['Gold', 5]]), model: none }
    const problem = findTierProblem([], { ...known(), markUps })
    expect(problem?.message).toBe('A mark-up is for the tier "Gold"; delete that first.')
  })
})
