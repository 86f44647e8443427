import { expect, test } from 'bun:test'
import { hiddenCharacters } from './usage-report.ts'

// 3,000 bytes, of which 2,350 are text.
const ENCRYPTED = 'A'.repeat(4_000)
const HIDDEN = 2_350

test('what an encrypted copy holds beyond what is shown', () => {
  expect(hiddenCharacters(ENCRYPTED, 0)).toBe(HIDDEN)
  expect(hiddenCharacters(ENCRYPTED, 350)).toBe(2_000)
  expect(hiddenCharacters(ENCRYPTED, 5_000)).toBe(0)
})

test('a short copy, or none, holds nothing', () => {
  for (const value of ['A'.repeat(800), '', undefined, null, 7]) expect(hiddenCharacters(value, 0)).toBe(0)
})
