import { describe, expect, test } from 'bun:test'
import { decideHold, roomInLimit } from './decide-hold.ts'

describe('a hold', () => {
  test('of all that is asked is taken when both have room', () => {
    expect(decideHold({ amountNano: 100n }, 100n, 100n)).toBeNull()
    expect(decideHold({ amountNano: 100n, leastNano: 10n }, null, null)).toBeNull()
  })

  test('that must be whole is refused by whichever has less room, the key first', () => {
    expect(decideHold({ amountNano: 100n }, 99n, 0n)).toEqual({ reason: 'key-spending-limit' })
    expect(decideHold({ amountNano: 100n }, 100n, 99n)).toEqual({ reason: 'balance' })
  })

  test('that may be partial is the smaller room, down to the least', () => {
    const hold = { amountNano: 100n, leastNano: 10n }
    expect(decideHold(hold, 40n, 30n)).toEqual({ reason: 'partial-hold', heldNano: 30n })
    expect(decideHold(hold, 30n, 40n)).toEqual({ reason: 'partial-hold', heldNano: 30n })
    expect(decideHold(hold, null, 10n)).toEqual({ reason: 'partial-hold', heldNano: 10n })
    expect(decideHold(hold, 9n, 40n)).toEqual({ reason: 'key-spending-limit' })
    expect(decideHold(hold, 40n, 9n)).toEqual({ reason: 'balance' })
  })

  test('is never larger than asked', () => {
    expect(decideHold({ amountNano: 5n, leastNano: 10n }, 7n, 7n)).toBeNull()
  })

  test('of nothing needs no balance, but a key that is not used up', () => {
    expect(decideHold({ amountNano: 0n }, null, -5n)).toBeNull()
    expect(decideHold({ amountNano: 0n }, roomInLimit(100n, 100n, 0n), null)).toEqual({
      reason: 'key-spending-limit',
    })
    expect(decideHold({ amountNano: 0n }, roomInLimit(100n, 99n, 1n), null)).toBeNull()
  })
})
