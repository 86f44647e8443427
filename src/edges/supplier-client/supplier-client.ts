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

// Less than the servers and balancers that are in use wait before they close an idle connection.
const IDLE_MS = 30_000

// Suppliers send a head in one piece; what comes by drops is no answer.
const HEAD_MS = 10_000

export interface SupplierClientOptions {
  /** Calls leave through a proxy. */
  readonly isProxied: boolean
  readonly rest?: Rest
  /** How long the head of an answer may take from its first byte to its last. */
  readonly headMs?: number
}

/**
 * Calls suppliers over kept-alive connections, each of which carries one credential. Redirects are not followed: a credential goes only where it was sent.
 *
 * It speaks HTTP/1.1 itself, over the runtime's sockets, because the runtime's own client does its work in a second
 * thread and handing a request over and back costs more than the request. What is not plain is left to that client.
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

  /** null: not one for our own sockets. */
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
