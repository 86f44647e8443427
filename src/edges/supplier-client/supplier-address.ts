import { Origin } from './origin.ts'

/** A place at a supplier, taken apart once. */
export interface SupplierAddress {
  readonly origin: Origin
  /** The first lines of every request to it. */
  readonly head: string
}

// Addresses are made of base URLs, paths and model names of the configuration; more are not worth remembering.
const MOST_ADDRESSES = 1_000

/** The addresses called lately: to take one apart costs more than all the rest of a request's head. */
export class AddressBook {
  readonly #addresses = new Map<string, SupplierAddress | null>()
  readonly #origins = new Map<string, Origin>()

  /** null: not an address for a plain HTTP connection. */
  find(url: string): SupplierAddress | null {
    const known = this.#addresses.get(url)
    if (known !== undefined) return known
    const address = this.#read(url)
    if (this.#addresses.size >= MOST_ADDRESSES) this.#addresses.clear()
    this.#addresses.set(url, address)
    return address
  }

  origins(): Iterable<Origin> {
    return this.#origins.values()
  }

  #read(text: string): SupplierAddress | null {
    const url = URL.parse(text)
    if (url === null || !isPlain(url)) return null
    const head = `POST ${url.pathname}${url.search} HTTP/1.1\r\nhost: ${url.host}\r\n`
    return { origin: this.#origin(url), head }
  }

  #origin(url: URL): Origin {
    const known = this.#origins.get(url.origin)
    if (known !== undefined) return known
    const origin = new Origin(url)
    this.#origins.set(url.origin, origin)
    return origin
  }
}

function isPlain({ protocol, username, password }: URL): boolean {
  return (protocol === 'http:' || protocol === 'https:') && username === '' && password === ''
}
