import { FIELD_NAME, NOT_PLAIN } from '../../wire/head-fields.ts'
import { Origin, type Rest } from './connection-pool.ts'

// An answer that comes uncompressed costs the supplier more lines and us less time.
const DEFAULTS = 'user-agent: turnpike\r\naccept: */*\r\naccept-encoding: identity\r\n'

// One for each credential, of which a supplier rarely has more; those that differ each time must not cost a long search.
const MAX_HEADS = 4

/** The head of the requests with these headers, up to the value of their length; null when it is not a plain one. */
interface KnownHead {
  readonly headers: RequestHeaders
  readonly text: string | null
}

/** A place at a supplier, taken apart once. */
export class SupplierAddress {
  readonly origin: Origin
  /** The first lines of every request to it. */
  readonly #start: string
  /** Those used lately: to compare headers costs less than to check them and put them together. */
  #heads: KnownHead[] = []

  constructor({ pathname, search, host }: URL, origin: Origin) {
    this.origin = origin
    this.#start = `POST ${pathname}${search} HTTP/1.1\r\nhost: ${host}\r\n${DEFAULTS}`
  }

  /** The head of a request up to the value of its length; null when the headers are not plain ones. */
  headFor(headers: RequestHeaders): string | null {
    for (const known of this.#heads) if (hasSameFields(known.headers, headers)) return known.text
    const fields = writeFields(headers)
    const text = fields === null ? null : `${this.#start}${fields}content-length: `
    if (this.#heads.length === MAX_HEADS) this.#heads = []
    this.#heads.push({ headers: { ...headers }, text })
    return text
  }
}

function hasSameFields(one: RequestHeaders, other: RequestHeaders): boolean {
  let count = 0
  for (const name in one) {
    if (one[name] !== other[name]) return false
    count++
  }
  for (const _ in other) count--
  return count === 0
}

// Addresses are made of base URLs, paths and model names of the configuration; more are not worth remembering.
const MAX_ADDRESSES = 1_000

/** The addresses called lately: to take one apart costs more than all the rest of a request's head. */
export class AddressBook {
  readonly #addresses = new Map<string, SupplierAddress | null>()
  readonly #origins = new Map<string, Origin>()
  readonly #rest: Rest

  constructor(rest: Rest) {
    this.#rest = rest
  }

  /** null: not an address for a plain HTTP connection. */
  find(url: string): SupplierAddress | null {
    const known = this.#addresses.get(url)
    if (known !== undefined) return known
    const address = this.#read(url)
    if (this.#addresses.size >= MAX_ADDRESSES) this.#addresses.clear()
    this.#addresses.set(url, address)
    return address
  }

  origins(): Iterable<Origin> {
    return this.#origins.values()
  }

  #read(text: string): SupplierAddress | null {
    const url = URL.parse(text)
    if (url === null || !isPlain(url)) return null
    return new SupplierAddress(url, this.#origin(url))
  }

  #origin(url: URL): Origin {
    const known = this.#origins.get(url.origin)
    if (known !== undefined) return known
    const origin = new Origin(url, this.#rest)
    this.#origins.set(url.origin, origin)
    return origin
  }
}

function isPlain({ protocol, username, password }: URL): boolean {
  return (protocol === 'http:' || protocol === 'https:') && username === '' && password === ''
}

const OURS = ['host', 'content-length', 'transfer-encoding', 'connection', 'accept-encoding', 'user-agent']

export type RequestHeaders = Readonly<Record<string, string>>

/** The lines for these headers; null when they are not plain ones. */
export function writeFields(headers: RequestHeaders): string | null {
  let fields = ''
  for (const name in headers) {
    const value = headers[name] ?? ''
    if (!FIELD_NAME.test(name) || NOT_PLAIN.test(value) || OURS.includes(name)) return null
    fields += `${name}: ${value}\r\n`
  }
  return fields
}
