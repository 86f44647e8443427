import { BlockList, isIP } from 'node:net'

/** Address ranges that are not the public internet: our own machine, its network, and everything reserved. */
const NOT_PUBLIC: readonly (readonly [address: string, prefix: number, family: 'ipv4' | 'ipv6'])[] = [
  ['0.0.0.0', 8, 'ipv4'],
  ['10.0.0.0', 8, 'ipv4'],
  ['100.64.0.0', 10, 'ipv4'],
  ['127.0.0.0', 8, 'ipv4'],
  ['169.254.0.0', 16, 'ipv4'],
  ['172.16.0.0', 12, 'ipv4'],
  ['192.0.0.0', 24, 'ipv4'],
  ['192.0.2.0', 24, 'ipv4'],
  ['192.88.99.0', 24, 'ipv4'],
  ['192.168.0.0', 16, 'ipv4'],
  ['198.18.0.0', 15, 'ipv4'],
  ['198.51.100.0', 24, 'ipv4'],
  ['203.0.113.0', 24, 'ipv4'],
  ['224.0.0.0', 4, 'ipv4'],
  ['240.0.0.0', 4, 'ipv4'],
]

const blocked = new BlockList()
for (const [address, prefix, family] of NOT_PUBLIC) blocked.addSubnet(address, prefix, family)

const publicIpv6 = new BlockList()
publicIpv6.addSubnet('2000::', 3, 'ipv6')

// Inside 2000::/3, but documentation, benchmarking, or a way to reach IPv4 addresses by another name.
const reservedIpv6 = new BlockList()
for (const [address, prefix] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const) {
  reservedIpv6.addSubnet(address, prefix, 'ipv6')
}

/** Whether an address belongs to the public internet. Anything unclear does not. */
export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !blocked.check(address, 'ipv4')
    case 6:
      return publicIpv6.check(address, 'ipv6') && !reservedIpv6.check(address, 'ipv6')
    default:
      return false
  }
}
