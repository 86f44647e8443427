import type { SupplierCall } from '../../serve/ports/supplier-call.ts'
import type { Clock } from '../../vocabulary/clock.ts'
import type { HttpAnswer } from '../../wire/http-answer.ts'
import { MessageWriter } from '../../wire/message-writer.ts'
import { Connection } from './connection.ts'
import { type ConnectionPool, type Rest, RestTurns } from './connection-pool.ts'
import { UnpackBudget } from './decompress.ts'
import { FetchClient } from './fetch-client.ts'
import { type CallParts, SocketCall, type SocketRequest } from './socket-call.ts'
import { AddressBook } from './supplier-address.ts'

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

/**
 * Calls suppliers over kept-alive connections, each for one credential. Redirects are not followed, so that a
 * credential goes only where it was sent.
 *
 * It speaks HTTP/1.1 over sockets, because `fetch` works in a second thread, and handing a request over and back costs
 * more than the request itself. Calls that need more than plain HTTP/1.1 go through `fetch`.
 */
export class SupplierClient {
  readonly #clock: Clock
  readonly #isProxied: boolean
  readonly #fetchClient: FetchClient
  readonly #addresses: AddressBook
  readonly #writer = new MessageWriter()
  readonly #parts: CallParts
  #sweep: Timer | null = null

  constructor(clock: Clock, { isProxied, rest = new RestTurns(), headMs = HEAD_MS }: SupplierClientOptions) {
    this.#clock = clock
    this.#addresses = new AddressBook(rest)
    this.#isProxied = isProxied
    const unpackBudget = new UnpackBudget()
    this.#fetchClient = new FetchClient(clock, { isProxied, unpackBudget })
    this.#parts = {
      unpackBudget,
      headMs,
      open: (pool, connectMs) => this.#open(pool, connectMs),
    }
  }

  readonly call = (call: SupplierCall): Promise<HttpAnswer> => {
    const request = this.#requestFor(call)
    if (request === null) return this.#fetchClient.call(call)
    const begun = new SocketCall(request, this.#parts)
    const answer = begun.begin()
    call.patience.onAbort(begun.abort)
    return answer
  }

  /** null when the call has to go through `fetch`. */
  #requestFor({ url, headers, body, connectMs, credentialId }: SupplierCall): SocketRequest | null {
    if (this.#isProxied || typeof body !== 'string') return null
    const address = this.#addresses.find(url)
    const head = address?.headFor(headers) ?? null
    if (address === null || head === null) return null
    return { pool: address.origin.poolFor(credentialId), head, body, connectMs }
  }

  async #open(pool: ConnectionPool, connectMs: number): Promise<Connection> {
    const connection = new Connection(pool, { clock: this.#clock, writer: this.#writer })
    await connection.open(connectMs)
    this.#sweep ??= setInterval(() => this.#closeIdle(), IDLE_MS / 2).unref()
    return connection
  }

  #closeIdle(): void {
    let isAnyLeft = false
    for (const origin of this.#addresses.origins()) {
      origin.closeIdleSince(this.#clock.nowMs() - IDLE_MS)
      isAnyLeft ||= origin.hasPools
    }
    if (isAnyLeft || this.#sweep === null) return
    clearInterval(this.#sweep)
    this.#sweep = null
  }
}
