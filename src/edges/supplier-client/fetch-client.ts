import type { SupplierCall } from '../../serve/ports/supplier-call.ts'
import type { Clock } from '../../vocabulary/clock.ts'
import type { HttpAnswer } from '../../wire/http-answer.ts'
import { decompress, type UnpackBudget } from './decompress.ts'

// An origin that took a connection this recently is not asked for another one first.
const TRUSTED_MS = 30_000

export interface FetchClientOptions {
  /** Calls leave through a proxy, so a direct connection says nothing. */
  readonly isProxied: boolean
  readonly unpackBudget: UnpackBudget
}

/**
 * Calls suppliers with the runtime's own client, for what ours leaves to it: proxies and bodies that are put together
 * while they are sent. Redirects are not followed: a credential goes only where it was sent.
 *
 * This client cannot tell a connection that does not come about from an answer that takes its time. So
 * towards an origin that has not been reached for a while a bare connection is made beside the call, and when that
 * does not stand in time the call is given up.
 */
export class FetchClient {
  readonly #clock: Clock
  readonly #unpackBudget: UnpackBudget
  readonly #knocks: boolean
  readonly #trustedUntilMs = new Map<string, number>()

  constructor(clock: Clock, { isProxied, unpackBudget }: FetchClientOptions) {
    this.#clock = clock
    this.#unpackBudget = unpackBudget
    this.#knocks = !isProxied
  }

  readonly call = (call: SupplierCall): Promise<HttpAnswer> => {
    const origin = originOf(call.url)
    if (!this.#knocks) return this.#post(call, call.patience.signal)
    if (this.#clock.nowMs() < (this.#trustedUntilMs.get(origin) ?? 0))
      return this.#post(call, call.patience.signal)
    return this.#callUnknown(call, origin)
  }

  async #callUnknown(call: SupplierCall, origin: string): Promise<HttpAnswer> {
    const giveUp = new AbortController()
    const knock = new Knock(new URL(call.url), call.connectMs)
    knock.answered.then(
      () => this.#trustedUntilMs.set(origin, this.#clock.nowMs() + TRUSTED_MS),
      (reason) => giveUp.abort(reason),
    )
    try {
      return await this.#post(call, AbortSignal.any([call.patience.signal, giveUp.signal]))
    } finally {
      knock.end()
    }
  }

  async #post(call: SupplierCall, signal: AbortSignal): Promise<HttpAnswer> {
    return decompress(await post(call, signal), this.#unpackBudget)
  }
}

function post({ url, headers, body }: SupplierCall, signal: AbortSignal): Promise<Response> {
  const call = {
    method: 'POST',
    signal,
    redirect: 'manual',
    // The runtime keeps connections by host, for every credential, and does not let them rest: each call has its own.
    keepalive: false,
    // What unpacks to more than memory holds is noticed by our own unpacking only.
    decompress: false,
  } as const
  const plain = { ...headers, 'accept-encoding': 'identity' }
  if (typeof body === 'string') return fetch(url, { ...call, headers: plain, body })
  return fetch(url, {
    ...call,
    headers: { ...plain, 'content-type': body.contentType, 'content-length': String(body.bytes) },
    body: body.open(),
  })
}

/** Scheme, host and port; cheaper than parsing the whole address on every call. */
function originOf(url: string): string {
  const end = url.indexOf('/', url.indexOf('//') + 2)
  return end < 0 ? url : url.slice(0, end)
}

/** A connection that carries nothing: it only finds out whether somebody is there. */
class Knock {
  /** Rejects when nobody was there in time. A refusal is left to the call itself, which says it better. */
  readonly answered: Promise<void>
  readonly #timer: Timer
  #end: () => void = () => {}

  constructor({ hostname, port, protocol }: URL, patienceMs: number) {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.answered = promise
    this.#timer = setTimeout(
      () => reject(new Error('The supplier could not be reached in time.')),
      patienceMs,
    )
    Bun.connect({
      hostname: hostname.replace(/^\[|\]$/g, ''),
      port: Number(port || (protocol === 'https:' ? 443 : 80)),
      socket: {
        open: (socket) => {
          clearTimeout(this.#timer)
          socket.end()
          resolve()
        },
        data: () => {},
      },
    }).then(
      (socket) => {
        this.#end = () => socket.terminate()
      },
      () => clearTimeout(this.#timer),
    )
  }

  end(): void {
    clearTimeout(this.#timer)
    this.#end()
  }
}
