import type { SupplierCall, TraceHeaders } from '../../serve/ports/supplier-call.ts'
import type { Clock } from '../../vocabulary/clock.ts'
import { FIELD_NAME, NOT_PLAIN } from '../../wire/head-fields.ts'
import type { HttpAnswer } from '../../wire/http-answer.ts'
import { MessageWriter } from '../../wire/message-writer.ts'
import { PiecedBody } from '../../wire/pieced-body.ts'
import { Origin, type Rest, RestTurns } from './connection-pool.ts'
import { UnpackBudget } from './decompress.ts'
import { FetchClient } from './fetch-client.ts'
import { type CallParts, SocketCall } from './socket-call.ts'

// Shorter than common servers and load balancers keep idle connections.
const IDLE_MS = 30_000

// Suppliers send a head in one piece. One that trickles in is treated as a failure.
const HEAD_MS = 10_000

export interface SupplierClientOptions {
  /** Calls go through a proxy. */
  readonly isProxied: boolean
  readonly rest?: Rest
  /** How long the head of an answer may take from its first byte to its last. */
  readonly headMs?: number
}

// URLs are built from base URLs, paths and model names of the configuration, so there are few.
const MAX_ADDRESSES = 1_000

/**
 * Calls suppliers over kept-alive connections, each for one credential. Redirects are not followed, so that a
 * credential goes only where it was sent.
 *
 * It speaks HTTP/1.1 over sockets, because `fetch` works in a second thread, and handing a request over and back costs
 * more than the request itself. Calls that need more than plain HTTP/1.1 go through `fetch`.
 */
export class SupplierClient {
  readonly #clock: Clock
  readonly #rest: Rest
  readonly #isProxied: boolean
  readonly #fetchClient: FetchClient
  readonly #parts: CallParts
  /** By URL, since parsing one costs more than the rest of a request's head; null where `fetch` has to call. */
  readonly #addresses = new Map<string, SupplierAddress | null>()
  readonly #origins = new Map<string, Origin>()
  #sweep: Timer | null = null

  constructor(clock: Clock, { isProxied, rest = new RestTurns(), headMs = HEAD_MS }: SupplierClientOptions) {
    this.#clock = clock
    this.#rest = rest
    this.#isProxied = isProxied
    const unpackBudget = new UnpackBudget()
    this.#fetchClient = new FetchClient(clock, { isProxied, unpackBudget })
    this.#parts = { unpackBudget, headMs, clock, writer: new MessageWriter() }
  }

  readonly call = (call: SupplierCall): Promise<HttpAnswer> => {
    const { url, headers, body, connectMs, credentialId } = call
    if (this.#isProxied || body instanceof PiecedBody) return this.#fetchClient.call(call)
    const address = this.#addresses.get(url) ?? this.#findAddress(url)
    const known = address?.headFor(headers) ?? null
    if (address === null || known === null) return this.#fetchClient.call(call)
    const pool = address.origin.poolFor(credentialId)
    const { trace = null } = call
    // The trace differs from request to request, so the head is not cached with it.
    const start = trace === null ? '' : known.start
    const head = trace === null ? known.head : `${traceLines(trace)}${LENGTH}`
    const request = { pool, start, head, body, connectMs }
    const rested = pool.take()
    const begun = new SocketCall(request, this.#parts, rested)
    if (rested !== null) rested.send(request, begun)
    else {
      this.#sweep ??= setInterval(() => this.#closeIdle(), IDLE_MS / 2).unref()
      void begun.openNew()
    }
    call.patience.onAbort(begun.abort)
    return begun.answered
  }

  /** null when our own client cannot call this URL. */
  #findAddress(url: string): SupplierAddress | null {
    const known = this.#addresses.get(url)
    if (known !== undefined) return known
    const parsed = URL.parse(url)
    const address = parsed === null || !isPlain(parsed) ? null : this.#addressAt(parsed)
    if (this.#addresses.size >= MAX_ADDRESSES) this.#addresses.clear()
    this.#addresses.set(url, address)
    return address
  }

  #addressAt(url: URL): SupplierAddress {
    let origin = this.#origins.get(url.origin)
    if (origin === undefined) {
      origin = new Origin(url, this.#rest)
      this.#origins.set(url.origin, origin)
    }
    return new SupplierAddress(url, origin)
  }

  #closeIdle(): void {
    let isAnyLeft = false
    for (const origin of this.#origins.values()) {
      origin.closeIdleSince(this.#clock.nowMs() - IDLE_MS)
      isAnyLeft ||= origin.hasPools
    }
    if (isAnyLeft || this.#sweep === null) return
    clearInterval(this.#sweep)
    this.#sweep = null
  }
}

function isPlain({ protocol, username, password }: URL): boolean {
  return (protocol === 'http:' || protocol === 'https:') && username === '' && password === ''
}

// Uncompressed answers take more bandwidth and less of our time.
const DEFAULTS = 'user-agent: turnpike\r\naccept: */*\r\naccept-encoding: identity\r\n'

// One per credential; suppliers rarely have more. Headers that change every time must not make the search long.
const MAX_HEADS = 4

/** The cached head of requests with these headers. */
interface KnownHead {
  /** Up to the last of these headers. */
  readonly start: string
  /** Up to the value of content-length, which follows them. */
  readonly head: string
}

interface KnownHeaders {
  readonly headers: RequestHeaders
  /** null when our own client cannot send them. */
  readonly known: KnownHead | null
}

/** A supplier's URL, parsed once. */
export class SupplierAddress {
  readonly origin: Origin
  /** The first lines of every request. */
  readonly #start: string
  /** Recent heads: comparing headers costs less than checking and joining them. */
  #heads: KnownHeaders[] = []

  constructor({ pathname, search, host }: URL, origin: Origin) {
    this.origin = origin
    this.#start = `POST ${pathname}${search} HTTP/1.1\r\nhost: ${host}\r\n${DEFAULTS}`
  }

  /** The head of requests with these headers; null when our own client cannot send them. */
  headFor(headers: RequestHeaders): KnownHead | null {
    for (const { headers: others, known } of this.#heads) if (hasSameFields(others, headers)) return known
    const fields = writeFields(headers)
    const start = fields === null ? null : this.#start + fields
    const known = start === null ? null : { start, head: start + LENGTH }
    if (this.#heads.length === MAX_HEADS) this.#heads = []
    this.#heads.push({ headers: { ...headers }, known })
    return known
  }
}

const LENGTH = 'content-length: '

/** The state comes from a client, so it is left out when it cannot be sent. */
function traceLines({ traceparent, tracestate }: TraceHeaders): string {
  const line = `traceparent: ${traceparent}\r\n`
  if (tracestate === undefined || NOT_PLAIN.test(tracestate)) return line
  return `${line}tracestate: ${tracestate}\r\n`
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
