import { BlockList, isIP } from 'node:net'

/** Some addresses, each alone or with all others of its network. */
export class AddressRanges {
  readonly #list = new BlockList()

  /** Throws when one of them is neither an address nor a network such as 10.0.0.0/8. */
  constructor(texts: readonly string[]) {
    for (const text of texts) this.#add(text)
  }

  has(address: string): boolean {
    const family = isIP(address)
    if (family === 0) return false
    return this.#list.check(address, family === 4 ? 'ipv4' : 'ipv6')
  }

  #add(text: string): void {
    const [address = '', prefix, ...more] = text.split('/')
    const family = isIP(address)
    const most = family === 4 ? 32 : 128
    const bits = prefix === undefined ? most : Number(prefix)
    const isPlain = family !== 0 && more.length === 0 && /^\d{1,3}$/.test(prefix ?? '0') && bits <= most
    if (!isPlain) throw new RangeError(`${JSON.stringify(text)} is no address and no network`)
    this.#list.addSubnet(address, bits, family === 4 ? 'ipv4' : 'ipv6')
  }
}

export const LOOPBACK: readonly string[] = ['127.0.0.0/8', '::1']
