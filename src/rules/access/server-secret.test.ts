import { describe, expect, test } from 'bun:test'
import { createSealer, createSecretKeeper, firstFingerprintKey } from './server-secret.ts'

const keeper = createSecretKeeper('server secret one')
const other = createSecretKeeper('server secret two')

describe('a fingerprint', () => {
  test('is stable, and different for another secret or another server', () => {
    expect(keeper.fingerprint('sk-a')).toBe(createSecretKeeper('server secret one').fingerprint('sk-a'))
    expect(keeper.fingerprint('sk-a')).not.toBe(keeper.fingerprint('sk-b'))
    expect(keeper.fingerprint('sk-a')).not.toBe(other.fingerprint('sk-a'))
  })

  test('contains nothing of the secret', () => {
    expect(keeper.fingerprint('sk-abcdefgh')).toMatch(/^[\w-]{43}$/)
    expect(keeper.fingerprint('sk-abcdefgh')).not.toContain('abcdefgh')
  })
})

describe('a fingerprint key that is kept', () => {
  const kept = firstFingerprintKey('server secret one')
  const rotated = createSecretKeeper('server secret two', kept)

  test('is at first the one the server secret gives', () => {
    expect(createSecretKeeper('server secret one', kept).fingerprint('sk-a')).toBe(keeper.fingerprint('sk-a'))
  })

  test('gives the same fingerprints under another server secret, which opens nothing of the old one', () => {
    expect(rotated.fingerprint('sk-a')).toBe(keeper.fingerprint('sk-a'))
    expect(() => rotated.open(keeper.seal('x'))).toThrow()
    expect(createSealer('server secret two').open(rotated.seal('x'))).toBe('x')
  })
})

describe('a sealed text', () => {
  test.each(['', 'sk-upstream', 'Grüße 😀', 'x'.repeat(10_000)])('opens to what it was (%#)', (plain) => {
    expect(keeper.open(keeper.seal(plain))).toBe(plain)
  })

  test('is never the same twice and shows nothing', () => {
    const sealed = keeper.seal('sk-upstream-secret')
    expect(keeper.seal('sk-upstream-secret')).not.toBe(sealed)
    expect(sealed).not.toContain('upstream')
  })

  test('does not open under another server secret, altered, or of another version', () => {
    const sealed = keeper.seal('sk-upstream-secret')
    const altered = `${sealed.slice(0, -2)}${sealed.endsWith('AA') ? 'BB' : 'AA'}`
    expect(() => other.open(sealed)).toThrow()
    expect(() => keeper.open(altered)).toThrow()
    expect(() => keeper.open(sealed.replace('v1.', 'v2.'))).toThrow('unknown sealing version')
  })
})
