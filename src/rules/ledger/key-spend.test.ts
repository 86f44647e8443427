import { describe, expect, test } from 'bun:test'
import { dayOf, KeySpend } from './period.ts'

const WEDNESDAY = dayOf(Date.parse('2026-06-10T00:00:00Z'))

function spendOf(days: readonly (readonly [day: number, amountNano: bigint])[]): KeySpend {
  const spend = new KeySpend()
  for (const [day, amountNano] of days) spend.add(day, amountNano)
  return spend
}

describe('what a key has spent', () => {
  // One amount for each of last month, last week, Monday and today.
  const spend = spendOf([
    [WEDNESDAY - 20, 1_000n],
    [WEDNESDAY - 7, 100n],
    [WEDNESDAY - 2, 10n],
    [WEDNESDAY, 1n],
  ])

  test.each([
    ['daily', 1n],
    ['weekly', 11n],
    ['monthly', 111n],
    ['forever', 1_111n],
  ] as const)('%s', (period, amountNano) => {
    expect(spend.spentNano(period, WEDNESDAY)).toBe(amountNano)
  })

  test('follows what is added and the days that pass', () => {
    const growing = spendOf([[WEDNESDAY, 5n]])
    expect(growing.spentNano('daily', WEDNESDAY)).toBe(5n)
    growing.add(WEDNESDAY, 2n)
    expect(growing.spentNano('daily', WEDNESDAY)).toBe(7n)
    expect(growing.spentNano('daily', WEDNESDAY + 1)).toBe(0n)
    growing.add(WEDNESDAY, 4n)
    expect(growing.spentNano('daily', WEDNESDAY + 1)).toBe(0n)
    expect(growing.spentNano('weekly', WEDNESDAY + 1)).toBe(11n)
  })

  test('is kept for several periods side by side', () => {
    const both = spendOf([[WEDNESDAY - 2, 10n]])
    expect([both.spentNano('daily', WEDNESDAY), both.spentNano('monthly', WEDNESDAY)]).toEqual([0n, 10n])
    both.add(WEDNESDAY, 1n)
    expect([both.spentNano('daily', WEDNESDAY), both.spentNano('monthly', WEDNESDAY)]).toEqual([1n, 11n])
  })

  test('learns of stored days without forgetting what it knows', () => {
    const known = spendOf([[WEDNESDAY, 5n]])
    known.learn(WEDNESDAY, 3n)
    expect(known.spentNano('daily', WEDNESDAY)).toBe(5n)
    known.learn(WEDNESDAY, 8n)
    known.learn(WEDNESDAY - 1, 2n)
    expect(known.spentNano('daily', WEDNESDAY)).toBe(8n)
    expect(known.spentNano('weekly', WEDNESDAY)).toBe(10n)
  })
})

describe('a fixed limit', () => {
  const limit = { period: 'daily', amountNano: 100n } as const

  test('is reached when all of it is spent', () => {
    expect(spendOf([[WEDNESDAY, 99n]]).hasReached(limit, WEDNESDAY)).toBe(false)
    expect(spendOf([[WEDNESDAY, 100n]]).hasReached(limit, WEDNESDAY)).toBe(true)
    expect(spendOf([[WEDNESDAY, 100n]]).hasReached(limit, WEDNESDAY + 1)).toBe(false)
  })
})
