import { describe, expect, test } from 'bun:test'
import { COMMON_PASSWORDS } from './common-passwords.ts'
import { findPasswordFault, normaliseEmail } from './sign-in-rules.ts'

const EMAIL = 'ada.lovelace@example.com'

describe('a password', () => {
  test.each([
    'nine-char',
    'x'.repeat(201),
    'Qwertyuiop',
    'PASSWORD-2026!!',
    'Welcome12345',
    'aaaaaaaaaaaaaaaa',
    'abababababab',
    'Ada.Lovelace',
    'ada.lovelace123',
    'ADA.LOVELACE@example.com',
  ])('%p is refused without being repeated', (password) => {
    const fault = findPasswordFault(password, EMAIL)
    expect(fault).not.toBeNull()
    expect(fault).not.toContain(password)
  })

  test.each(['ten-chars!', 'passwords are hard to choose', 'ünïcödé-🔑🔑', `y7z1${'k'.repeat(196)}`])(
    '%p is taken',
    (password) => {
      expect(findPasswordFault(password, EMAIL)).toBeNull()
    },
  )

  test('on the list is long enough to be asked about, and in lower case', () => {
    for (const password of COMMON_PASSWORDS) {
      expect([password, password.length >= 10, password]).toEqual([password, true, password.toLowerCase()])
    }
  })
})

describe('an address', () => {
  test.each([
    [' Ada@Example.COM ', 'ada@example.com'],
    ['admin@localhost', 'admin@localhost'],
  ])('%p is written %p', (text, expected) => {
    expect(normaliseEmail(text)).toBe(expected)
  })

  test.each([
    '',
    'ada',
    '@example.com',
    'ada@',
    'a b@example.com',
    'a@b@c',
    'a\u0000@b',
    `${'a'.repeat(65)}@b`,
  ])('%p is none', (text) => {
    expect(normaliseEmail(text)).toBeNull()
  })
})
