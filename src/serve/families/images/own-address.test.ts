import { expect, test } from 'bun:test'
import { ownAddressOf } from './deliver-images.ts'

const addressOf = (headers: Record<string, string>, publicUrl: string | null = null) =>
  ownAddressOf({ headers: new Headers(headers) }, publicUrl)

test.each([
  [{ host: 'gate.test' }, 'http://gate.test'],
  [{ host: '127.0.0.1:8080' }, 'http://127.0.0.1:8080'],
  [{ host: '[::1]:8080' }, 'http://[::1]:8080'],
  [{ host: 'gate.test', 'x-forwarded-proto': 'https' }, 'https://gate.test'],
  [{ host: 'evil.test/path?' }, ''],
  [{ host: 'user@evil.test' }, ''],
  [{}, ''],
])('%j is reached at %p', (headers, address) => {
  expect(addressOf(headers as Record<string, string>)).toBe(address)
})

test('the setting overrides the request', () => {
  expect(addressOf({ host: 'inside:1' }, 'https://gate.test/')).toBe('https://gate.test')
})
