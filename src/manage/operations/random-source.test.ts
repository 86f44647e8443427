import { expect, test } from 'bun:test'
import { systemRandom } from './random-source.ts'

test('2.10 a secret is sk- and 48 letters or digits, never the same twice', () => {
  const secrets = Array.from({ length: 200 }, () => systemRandom.secret())
  for (const secret of secrets) expect(secret).toMatch(/^sk-[A-Za-z0-9]{48}$/)
  expect(new Set(secrets).size).toBe(200)
  expect(new Set(secrets.join('')).size).toBeGreaterThanOrEqual(62)
})

test('an id carries its prefix', () => {
  expect(systemRandom.id('acc')).toMatch(/^acc_[a-z0-9]{20}$/)
})
