import { expect, test } from 'bun:test'
import { AddressRanges, LOOPBACK } from './address-ranges.ts'

test('knows addresses and networks of both families, also in mapped form', () => {
  const ranges = new AddressRanges([...LOOPBACK, '10.1.0.0/16', '192.0.2.7', '2001:db8::/32'])
  for (const address of ['127.9.9.9', '::1', '10.1.255.1', '192.0.2.7', '2001:db8::1', '::ffff:10.1.0.1']) {
    expect([address, ranges.has(address)]).toEqual([address, true])
  }
  for (const address of ['10.2.0.1', '192.0.2.8', '2001:db9::1', '::ffff:10.2.0.1', '', 'localhost']) {
    expect([address, ranges.has(address)]).toEqual([address, false])
  }
})

test.each([
  '',
  'example.test',
  '10.0.0.0/33',
  '10.0.0.0/',
  '::1/129',
  '10.0.0.0/8/8',
  '10.0.0.0/-1',
  '10.0.0/8',
])('refuses %p', (text) => expect(() => new AddressRanges([text])).toThrow(RangeError))
