import { BlockList, isIP } from 'node:net'

/** The proxies whose `x-forwarded-for` header is trusted. */
export interface TrustedProxies {
  isTrusted(address: string): boolean
  /**
   * The client behind a connection: the peer itself, or, where the peer is a trusted proxy, the rightmost address in
   * `x-forwarded-for` that is not one. Addresses left of it come from the client and prove nothing.
   */
  clientAddress(peer: string | null, forwardedFor: string | null): string | null
}

/** Null when an entry is neither an address nor a range such as `10.0.0.0/8`. */
export function parseTrustedProxies(entries: readonly string[]): TrustedProxies | null {
  const ranges = new BlockList()
  for (const entry of entries) if (!addRange(ranges, entry)) return null
  const isTrusted = (address: string) => {
    const family = isIP(address)
    return family !== 0 && ranges.check(address, family === 4 ? 'ipv4' : 'ipv6')
  }
  return {
    isTrusted,
    clientAddress: (peer, forwardedFor) => {
      if (peer === null || forwardedFor === null || !isTrusted(peer)) return peer
      return findClient(peer, forwardedFor, isTrusted)
    },
  }
}

export const LOOPBACK: readonly string[] = ['127.0.0.0/8', '::1']

export const NO_TRUSTED_PROXIES: TrustedProxies = { isTrusted: () => false, clientAddress: (peer) => peer }

function addRange(ranges: BlockList, entry: string): boolean {
  const [address = '', prefix, ...rest] = entry.split('/')
  const family = isIP(address)
  if (family === 0 || rest.length > 0) return false
  const type = family === 4 ? 'ipv4' : 'ipv6'
  const longest = family === 4 ? 32 : 128
  const length = prefix === undefined ? longest : Number(prefix)
  if (prefix !== undefined && (!/^\d{1,3}$/.test(prefix) || length > longest)) return false
  ranges.addSubnet(address, length, type)
  return true
}

// Each proxy adds one address. A longer chain is not ours.
const MAX_HOPS = 32

function findClient(peer: string, forwardedFor: string, isTrusted: (address: string) => boolean): string {
  let nearest = peer
  let end = forwardedFor.length
  for (let hop = 0; hop < MAX_HOPS && end >= 0; hop += 1) {
    const start = forwardedFor.lastIndexOf(',', end - 1)
    const address = readHop(forwardedFor.slice(start + 1, end))
    // The entry is invalid, so the proxy that passed it on counts as the client.
    if (address === null) return nearest
    nearest = address
    if (!isTrusted(address) || start < 0) return nearest
    end = start
  }
  return nearest
}

/** Some proxies add the port, and write IPv6 in brackets. */
function readHop(text: string): string | null {
  const hop = text.trim()
  if (isIP(hop) !== 0) return plainAddress(hop)
  const [, bracketed, dotted] = /^(?:\[([0-9a-f:.]+)\]|([\d.]+))(?::\d{1,5})?$/i.exec(hop) ?? []
  const address = bracketed ?? dotted ?? ''
  return isIP(address) === 0 ? null : plainAddress(address)
}

/** Converts `::ffff:192.0.2.1`, as dual-stack sockets report it, to 192.0.2.1. */
export function plainAddress(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  return mapped !== undefined && isIP(mapped) === 4 ? mapped : address
}

/**
 * The key for limits per address. A customer usually has a whole IPv6 /64, so all of its addresses count as one; each
 * IPv4 address counts by itself.
 */
export function networkOf(address: string): string {
  const plain = plainAddress(address)
  if (isIP(plain) !== 6) return plain
  const [unscoped = ''] = plain.toLowerCase().split('%')
  const [head = '', tail] = unscoped.split('::')
  const groups = head === '' ? [] : head.split(':')
  if (tail !== undefined) {
    const after = tail === '' ? 0 : tail.split(':').length + (tail.includes('.') ? 1 : 0)
    while (groups.length + after < 8) groups.push('0')
    if (tail !== '') groups.push(...tail.split(':'))
  }
  return `${groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':')}::/64`
}
