import { describe, expect, test } from 'bun:test'
import { NO_TRUSTED_PROXIES, networkOf, parseTrustedProxies } from './trusted-proxies.ts'

const proxies = parseTrustedProxies(['10.0.0.0/8', '192.0.2.7', 'fd00::/8']) ?? NO_TRUSTED_PROXIES

test.each([
  ['10.255.0.1', true],
  ['11.0.0.1', false],
  ['192.0.2.7', true],
  ['192.0.2.8', false],
  ['fd12::1', true],
  ['fe80::1', false],
  ['::ffff:10.1.2.3', true],
  ['nonsense', false],
  ['', false],
])('trusts %p: %p', (address, expected) => {
  expect(proxies.isTrusted(address)).toBe(expected)
})

describe('the client', () => {
  test.each([
    // [peer, forwarded, client]
    ['203.0.113.9', '198.51.100.1', '203.0.113.9'],
    ['10.0.0.1', null, '10.0.0.1'],
    ['10.0.0.1', '', '10.0.0.1'],
    ['10.0.0.1', '198.51.100.1', '198.51.100.1'],
    ['::ffff:10.0.0.1', '198.51.100.1', '198.51.100.1'],
    // What the client made up stands on the left.
    ['10.0.0.1', '1.1.1.1, 198.51.100.1', '198.51.100.1'],
    ['10.0.0.1', '1.1.1.1,198.51.100.1 , 192.0.2.7,10.9.9.9', '198.51.100.1'],
    ['10.0.0.1', '10.0.0.2, 10.0.0.3', '10.0.0.2'],
    ['10.0.0.1', '198.51.100.1, garbage, 10.0.0.3', '10.0.0.3'],
    ['10.0.0.1', '198.51.100.1:4711', '198.51.100.1'],
    ['10.0.0.1', '[2001:db8::1]:443', '2001:db8::1'],
    ['10.0.0.1', '::ffff:198.51.100.1', '198.51.100.1'],
    ['10.0.0.1', `198.51.100.1${', 10.0.0.2'.repeat(100)}`, '10.0.0.2'],
    [null, '198.51.100.1', null],
  ])('of peer %p with %p is %p', (peer, forwardedFor, expected) => {
    expect(proxies.clientAddress(peer, forwardedFor)).toBe(expected)
  })

  test('is the peer where no proxy is trusted', () => {
    expect(NO_TRUSTED_PROXIES.clientAddress('10.0.0.1', '198.51.100.1')).toBe('10.0.0.1')
  })
})

test.each(['10.0.0.0/33', '10.0.0.0/', '10.0.0.0/8/8', 'example.com', '', '::1/129', '10.0.0.0/x'])(
  'takes no %p',
  (entry) => {
    expect(parseTrustedProxies([entry])).toBeNull()
  },
)

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:0DB8:0001:2::9', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::', 'fe80:0:0:0::/64'],
  ['unknown', 'unknown'],
])('%p is counted as %p', (address, expected) => {
  expect(networkOf(address)).toBe(expected)
})
