import type { SupplierCall } from '../../serve/ports/supplier-call.ts'
import type { Clock } from '../../vocabulary/clock.ts'
import type { HttpAnswer } from '../../wire/http-answer.ts'
import { joinPieces, PiecedBody } from '../../wire/pieced-body.ts'
import { decompress, type UnpackBudget } from './decompress.ts'

// An origin that accepted a connection this recently is not probed again.
const TRUSTED_MS = 30_000

export interface FetchClientOptions {
  /** Calls go through a proxy, so probing the supplier directly proves nothing. */
  readonly isProxied: boolean
  readonly unpackBudget: UnpackBudget
}

/**
 * Calls suppliers with `fetch`, for what our own client does not support: proxies and bodies that are built while they
 * are sent. Redirects are not followed, so that a credential goes only where it was sent.
 *
 * `fetch` cannot tell a connection that never opens from an answer that takes its time. So the first call to an origin
 * opens a bare connection beside it, and the call is aborted when that times out.
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
    const sending = { signal, isSent: false }
    call.patience.onAbort(() => sending.isSent)
    const response = await post(call, sending)
    sending.isSent = true
    return decompress(response, this.#unpackBudget)
  }
}

interface Sending {
  readonly signal: AbortSignal
  /** `fetch` does not say when it has sent a text, so it counts as sent when the answer begins. */
  isSent: boolean
}

function post({ url, headers, trace, body }: SupplierCall, sending: Sending): Promise<Response> {
  const call = {
    method: 'POST',
    signal: sending.signal,
    redirect: 'manual',
    // The runtime would share connections between credentials and reuse them at once, so each call has its own.
    keepalive: false,
    // Only our own decompression limits the memory it takes.
    decompress: false,
  } as const
  const plain = { ...headers, ...trace, 'accept-encoding': 'identity' }
  if (!(body instanceof PiecedBody)) {
    return fetch(url, { ...call, headers: plain, body: typeof body === 'string' ? body : joinPieces(body) })
  }
  return fetch(url, {
    ...call,
    headers: { ...plain, 'content-type': body.contentType, 'content-length': String(body.bytes) },
    body: body.open(() => {
      sending.isSent = true
    }),
  })
}

/** Scheme, host and port; cheaper than parsing the whole address on every call. */
function originOf(url: string): string {
  const end = url.indexOf('/', url.indexOf('//') + 2)
  return end < 0 ? url : url.slice(0, end)
}

/** A bare connection that only checks whether the supplier can be reached. */
class Knock {
  /** Rejects on a timeout. Other failures are left to the call itself, which reports them better. */
  readonly answered: Promise<void>
  readonly #timer: Timer
  #end: () => void = () => {}

  constructor({ hostname, port, protocol }: URL, patienceMs: number) {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.answered = promise
    this.#timer = setTimeout(() => reject(new Error('Connecting to the supplier timed out.')), patienceMs)
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
