import { describe, expect, test } from 'bun:test'
import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { checkSignature } from './payment-signature.ts'

const SECRET = 'a secret only the processor knows'
const NOW_SECONDS = 1_780_000_000
const NOW_MS = NOW_SECONDS * 1_000
const TEXT = '{"account_id":"acc_1","amount":"10","reference":"r"}'

function sign(text: string, { secret = SECRET, at = String(NOW_SECONDS) } = {}): string {
  return createHmac('sha256', secret).update(`${at}.${text}`).digest('hex')
}

const check = (header: string, text = TEXT) => checkSignature({ header, text }, SECRET, NOW_MS)

describe('a signature', () => {
  test('made with the secret over time and body is valid', () => {
    expect(check(`t=${NOW_SECONDS},v1=${sign(TEXT)}`)).toBe('valid')
    expect(check(`t=${NOW_SECONDS}, v1=${sign(TEXT).toUpperCase()}`)).toBe('valid')
  })

  test('may be sent with those of other secrets and schemes', () => {
    const other = sign(TEXT, { secret: 'the secret from before the change' })
    expect(check(`t=${NOW_SECONDS},v0=abc,v1=${other},v1=${sign(TEXT)}`)).toBe('valid')
    expect(check(`t=${NOW_SECONDS},v1=${other},v1=${other}`)).toBe('wrong')
  })

  test.each([
    [-300, 'valid'],
    [300, 'valid'],
    [-301, 'untimely'],
    [301, 'untimely'],
  ] as const)('made %i seconds from now is %s', (seconds, verdict) => {
    const at = String(NOW_SECONDS + seconds)
    expect(check(`t=${at},v1=${sign(TEXT, { at })}`)).toBe(verdict)
  })

  test('that is wrong is reported as wrong, whatever its time', () => {
    expect(check(`t=1,v1=${sign(TEXT)}`)).toBe('wrong')
  })

  test.each([
    '',
    'v1=',
    `v1=${sign(TEXT)}`,
    `t=${NOW_SECONDS}`,
    `t=${NOW_SECONDS},v1=`,
    `t=${NOW_SECONDS},v1=${sign(TEXT).slice(1)}`,
    `t=${NOW_SECONDS},v1=${sign(TEXT)}00`,
    `t=${NOW_SECONDS},v2=${sign(TEXT)}`,
    `t=${NOW_SECONDS},t=${NOW_SECONDS},v1=${sign(TEXT)}`,
    `t=+${NOW_SECONDS},v1=${sign(TEXT, { at: `+${NOW_SECONDS}` })}`,
    `t=${NOW_SECONDS}.0,v1=${sign(TEXT, { at: `${NOW_SECONDS}.0` })}`,
    `t=,v1=${sign(TEXT, { at: '' })}`,
    // More than any sender needs.
    `t=${NOW_SECONDS},${'v0=x,'.repeat(40)}v1=${sign(TEXT)}`,
  ])('in the header %j is wrong', (header) => {
    expect(check(header)).toBe('wrong')
  })

  test('is valid for no other body', () => {
    const header = `t=${NOW_SECONDS},v1=${sign(TEXT)}`
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(check(header, text)).toBe(text === TEXT ? 'valid' : 'wrong')
      }),
    )
  })
})
