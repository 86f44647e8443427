import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { decodeBase32, encodeBase32, findStep, stepAt, totpCode } from './totp.ts'

const SECRET = Buffer.from('12345678901234567890')

describe('codes', () => {
  // RFC 6238, appendix B, the rows of SHA-1.
  test.each([
    [59, '94287082'],
    [1_111_111_109, '07081804'],
    [1_111_111_111, '14050471'],
    [1_234_567_890, '89005924'],
    [2_000_000_000, '69279037'],
    [20_000_000_000, '65353130'],
  ])('at second %d are those of the RFC', (second, code) => {
    expect(totpCode(SECRET, stepAt(second * 1_000), 8)).toBe(code)
    expect(totpCode(SECRET, stepAt(second * 1_000))).toBe(code.slice(2))
  })

  test('count one step before and after their time, and not longer', () => {
    const nowMs = 1_111_111_111_000
    const step = stepAt(nowMs)
    const found = [-2, -1, 0, 1, 2].map((away) => findStep(totpCode(SECRET, step + away), SECRET, nowMs))
    expect(found).toEqual([null, step - 1, step, step + 1, null])
  })

  test.each(['', '12345', '1234567', 'abcdef', '٠١٢٣٤٥'])('are not %p', (code) => {
    expect(findStep(code, SECRET, 1_111_111_111_000)).toBeNull()
  })
})

describe('base32', () => {
  // RFC 4648, section 10, without the padding apps do not want.
  test.each([
    ['', ''],
    ['f', 'MY'],
    ['fo', 'MZXQ'],
    ['foo', 'MZXW6'],
    ['foob', 'MZXW6YQ'],
    ['fooba', 'MZXW6YTB'],
    ['foobar', 'MZXW6YTBOI'],
  ])('of %p is %p', (text, encoded) => {
    expect(encodeBase32(Buffer.from(text))).toBe(encoded)
  })

  test('reads back what it wrote', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
        expect([...decodeBase32(encodeBase32(bytes))]).toEqual([...bytes])
      }),
    )
  })

  test('refuses other characters', () => {
    expect(() => decodeBase32('A1')).toThrow()
  })
})
