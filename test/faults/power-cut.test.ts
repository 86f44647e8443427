import { describe, expect, test } from 'bun:test'
import { cutFirstStart, cutPower } from './power-cut.ts'
import { makeCuttableDisk, sayLeftOut, whyNot } from './support/disk.ts'

const reason = whyNot(makeCuttableDisk)
sayLeftOut('A power cut', reason)

describe.skipIf(reason !== null)('a power cut', () => {
  test('loses no answered request when the journal is synced', async () => {
    const { acknowledged, lost } = await cutPower(300)
    expect(acknowledged.answered.length).toBeGreaterThan(0)
    expect(acknowledged.payments.length).toBeGreaterThan(0)
    expect(lost).toEqual({ settlements: 0, payments: 0, keys: 0, accounts: 0, ledgerDifference: null })
  }, 300_000)

  test('keeps the secrets that a first start has shown, with or without a synced journal', async () => {
    expect(await cutFirstStart('never')).toEqual({ isKeyKnown: true, isOperatorKnown: true, trouble: null })
  }, 300_000)
})
