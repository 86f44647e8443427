import { expect, test } from 'bun:test'
import type { OperatorUsage } from '../../api/wire.ts'
import { groupUsage, marginShare, sumMargins } from './margins.ts'

function day(
  supplier: string | null,
  [amount = '', cost = '', margin = '']: readonly string[],
): OperatorUsage {
  return { requests: 1, amount, cost, margin, supplier } as OperatorUsage
}

test('adds up days by group, the largest first, exactly', () => {
  const rows = [
    day('small', ['0.1', '0.2', '-0.1']),
    day('large', ['0.000000001', '0', '0.000000001']),
    day('large', ['3', '2.5', '0.5']),
    day(null, ['0', '0', '0']),
  ]
  const groups = groupUsage(rows, 'supplier')
  expect(groups).toEqual([
    { group: 'large', requests: 2, amount: '3.000000001', cost: '2.5', margin: '0.500000001' },
    { group: 'small', requests: 1, amount: '0.1', cost: '0.2', margin: '-0.1' },
    { group: null, requests: 1, amount: '0', cost: '0', margin: '0' },
  ])
  expect(sumMargins(groups)).toMatchObject({ requests: 4, amount: '3.100000001', margin: '0.400000001' })
})

test('the margin has a share if anything was charged', () => {
  expect(marginShare({ amount: '4', margin: '1' })).toBe(0.25)
  expect(marginShare({ amount: '0', margin: '-1' })).toBeNull()
})
