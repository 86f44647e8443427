import { FIELD_NAME, NOT_PLAIN } from '../../wire/head-fields.ts'
import { Origin, type Rest } from './connection-pool.ts'

// Uncompressed answers take more bandwidth and less of our time.
const DEFAULTS = 'user-agent: turnpike\r\naccept: */*\r\naccept-encoding: identity\r\n'

// One per credential; suppliers rarely have more. Headers that change every time must not make the search long.
const MAX_HEADS = 4

/** The cached head of requests with these headers; null when our own client cannot send them. */
interface KnownHead {
  readonly headers: RequestHeaders
  readonly text: string | null
}

/** A supplier's URL, parsed once. */
export class SupplierAddress {
  readonly origin: Origin
  /** The first lines of every request. */
  readonly #start: string
  /** Recent heads: comparing headers costs less than checking and joining them. */
  #heads: KnownHead[] = []

  constructor({ pathname, search, host }: URL, origin: Origin) {
    this.origin = origin
    this.#start = `POST ${pathname}${search} HTTP/1.1\r\nhost: ${host}\r\n${DEFAULTS}`
  }

  /** The head of a request, up to the value of content-length; null when our own client cannot send these headers. */
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

// URLs are built from base URLs, paths and model names of the configuration, so there are few.
const MAX_ADDRESSES = 1_000

/** Caches parsed URLs: parsing one costs more than the rest of a request's head. */
export class AddressBook {
  readonly #addresses = new Map<string, SupplierAddress | null>()
  readonly #origins = new Map<string, Origin>()
  readonly #rest: Rest

  constructor(rest: Rest) {
    this.#rest = rest
  }

  /** null when our own client cannot call this URL. */
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

/** The lines of these headers; null when one is not plain ASCII or is set by the client itself. */
export function writeFields(headers: RequestHeaders): string | null {
  let fields = ''
  for (const name in headers) {
    const value = headers[name] ?? ''
    if (!FIELD_NAME.test(name) || NOT_PLAIN.test(value) || OURS.includes(name)) return null
    fields += `${name}: ${value}\r\n`
  }
  return fields
}
