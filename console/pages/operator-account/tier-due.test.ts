import { expect, test } from 'bun:test'
import { tierDue } from './tier-due.ts'

const TIERS = [
  { name: 'Starter', earned_at: '0', enabled: true },
  { name: 'Builder', earned_at: '10', enabled: true },
  { name: 'Scale', earned_at: '200', enabled: true },
  { name: 'Gold', earned_at: '220', enabled: false },
  { name: 'Trial', earned_at: null, enabled: true },
]

test.each([
  ['Starter', '250', 'Scale'],
  ['Builder', '200', 'Scale'],
  ['Starter', '9.999999999', null],
  ['Scale', '250', null],
  ['Scale', '0', null],
  ['Trial', '250', null],
  ['Deleted', '0', 'Starter'],
])('an account with %s that has paid %s is due %p', (earned_tier, total_paid, due) => {
  expect(tierDue({ earned_tier, total_paid }, TIERS)).toBe(due)
})

test('no tier is due before the tiers are known to include one', () => {
  expect(tierDue({ earned_tier: 'Starter', total_paid: '250' }, [])).toBeNull()
})
