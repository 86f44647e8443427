import { describe, expect, test } from 'bun:test'
import {
  createSealer,
  createSecretKeeper,
  createUnboundSealer,
  firstFingerprintKey,
  SealError,
} from './server-secret.ts'

const keeper = createSecretKeeper('server secret one')
const other = createSecretKeeper('server secret two')
const PLACE = { table: 'credentials', column: 'sealed_secret', id: 'cred_1' }

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
    expect(() => rotated.open(keeper.seal('x', PLACE), PLACE)).toThrow(SealError)
    expect(createSealer('server secret two').open(rotated.seal('x', PLACE), PLACE)).toBe('x')
  })
})

describe('a sealed text', () => {
  test.each(['', 'sk-upstream', 'Grüße 😀', 'x'.repeat(10_000)])('opens to what it was (%#)', (plain) => {
    expect(keeper.open(keeper.seal(plain, PLACE), PLACE)).toBe(plain)
  })

  test('is never the same twice and shows nothing', () => {
    const sealed = keeper.seal('sk-upstream-secret', PLACE)
    expect(keeper.seal('sk-upstream-secret', PLACE)).not.toBe(sealed)
    expect(sealed).not.toContain('upstream')
  })

  test('does not open under another server secret, altered, cut, or of another version', () => {
    const sealed = keeper.seal('sk-upstream-secret', PLACE)
    const altered = `${sealed.slice(0, -2)}${sealed.endsWith('AA') ? 'BB' : 'AA'}`
    expect(() => other.open(sealed, PLACE)).toThrow(SealError)
    for (const text of [altered, sealed.slice(0, 20), 'v2.', sealed.replace('v2.', 'v3.'), '', 'plain']) {
      expect(() => keeper.open(text, PLACE)).toThrow(SealError)
    }
  })

  test.each([
    { ...PLACE, id: 'cred_2' },
    { ...PLACE, table: 'alert_webhooks' },
    { ...PLACE, column: 'label' },
    { ...PLACE, id: ['cred_1', ''] },
    { table: 'credentials.sealed_secret', column: '', id: 'cred_1' },
  ])('opens in no other place (%#)', (place) => {
    const sealed = keeper.seal('sk-upstream-secret', PLACE)
    expect(() => keeper.open(sealed, place)).toThrow(`${place.table}.${place.column} of row`)
  })

  test('names where it was found when it does not open, and nothing of what it holds', () => {
    const sealed = keeper.seal('sk-upstream-secret', { ...PLACE, id: 'cred_2' })
    const failure = (() => {
      try {
        return keeper.open(sealed, PLACE)
      } catch (error) {
        return String(error)
      }
    })()
    expect(failure).toBe(
      'Error: credentials.sealed_secret of row cred_1 cannot be opened: it was sealed under another ' +
        'TURNPIKE_SECRET or for another row, or altered since.',
    )
  })

  test('keeps ids with several parts apart, however they are cut', () => {
    const sealed = keeper.seal('x', { ...PLACE, id: ['a', 'b c'] })
    expect(() => keeper.open(sealed, { ...PLACE, id: ['a b', 'c'] })).toThrow(SealError)
    expect(keeper.open(sealed, { ...PLACE, id: ['a', 'b c'] })).toBe('x')
    expect(keeper.open(keeper.seal('x', PLACE), { ...PLACE, id: ['cred_1'] })).toBe('x')
  })
})

describe('a text sealed before texts were bound to their places', () => {
  // Made by the version before.
  const OLD = 'v1.8A30ohjPKZgO7Dvw7-rPFyP9NWeKFGADD5vNlTnH0RAhJA'

  test('opens where old ones are taken, and nowhere else', () => {
    const old = createUnboundSealer('server secret one')
    const lenient = createSealer('server secret one', {
      readsUnbound: ({ table }) => table === 'credentials',
      writesUnbound: () => false,
    })
    for (const text of [old.seal('sk-old'), OLD]) {
      expect(lenient.open(text, PLACE)).toBe('sk-old')
      expect(() => lenient.open(text, { ...PLACE, table: 'user_factors' })).toThrow('old form')
      expect(() => keeper.open(text, PLACE)).toThrow('old form')
    }
    expect(lenient.seal('x', PLACE)).toStartWith('v2.')
  })

  test('is written while nodes that know no others read the database', () => {
    const mixed = createSealer('server secret one', { readsUnbound: () => true, writesUnbound: () => true })
    const sealed = mixed.seal('x', PLACE)
    expect(createUnboundSealer('server secret one').open(sealed)).toBe('x')
    expect(mixed.open(sealed, PLACE)).toBe('x')
    expect(mixed.open(keeper.seal('y', PLACE), PLACE)).toBe('y')
  })
})
