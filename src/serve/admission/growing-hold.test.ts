import { expect, test } from 'bun:test'
import type { Growth } from '../ports/admissions.ts'
import { GrowingHold } from './growing-hold.ts'

const OWNER = { requestId: 'req_1', accountId: 'acc_1', keyId: 'key_1', creditLineNano: 0n, usageLimit: null }
const costOf = (tokens: number) => 1_000n + BigInt(tokens) * 2n

/** Grants growth up to so much altogether. */
function holdWith(heldNano: bigint, mostNano: bigint) {
  const asked: bigint[] = []
  const grow = ({ amountNano }: Growth) => {
    asked.push(amountNano)
    return amountNano <= mostNano
  }
  return { hold: new GrowingHold(heldNano, OWNER, { grow }), asked }
}

test('covers what is left after the prompt', () => {
  expect(holdWith(1_100n, 0n).hold.tokensCovered(costOf)).toBe(50)
  expect(holdWith(1_000n, 0n).hold.tokensCovered(costOf)).toBe(0)
  expect(holdWith(999n, 0n).hold.tokensCovered(costOf)).toBe(-1)
  expect(holdWith(1_000n, 0n).hold.tokensCovered(() => 5n)).toBe(Number.POSITIVE_INFINITY)
})

test('grows in long steps while there is room, then in short ones, then not at all', () => {
  const { hold, asked } = holdWith(1_000n, 2_200n)
  expect(hold.grow(10, costOf)).toBe(true)
  expect(asked).toEqual([costOf(522)])
  expect(hold.tokensCovered(costOf)).toBe(522)
  expect(hold.grow(530, costOf)).toBe(true)
  expect(hold.tokensCovered(costOf)).toBe(594)
  expect(hold.grow(600, costOf)).toBe(true)
  expect(hold.tokensCovered(costOf)).toBe(600)
  expect(hold.grow(601, costOf)).toBe(false)
  expect(hold.tokensCovered(costOf)).toBe(600)
})

test('waits for limits that are shared', async () => {
  const grow = async ({ amountNano }: Growth) => amountNano <= costOf(70)
  const hold = new GrowingHold(1_000n, OWNER, { grow })
  expect(await hold.grow(5, costOf)).toBe(true)
  expect(hold.tokensCovered(costOf)).toBe(69)
  expect(await hold.grow(71, costOf)).toBe(false)
})
