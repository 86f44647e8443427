import type { GatewayError } from '../../errors/gateway-error.ts'
import type { Exchange } from '../../gateway/ports/exchange.ts'
import type { ReadForm, UploadedForm, UploadRules } from '../../gateway/ports/uploads.ts'
import type { Clock } from '../../vocabulary/clock.ts'
import { type BodyLimits, BodyReading } from './read-body.ts'

const NO_PARAMS: Readonly<Record<string, string>> = {}

export interface ExchangeOptions {
  readonly bodyLimits: BodyLimits
  /** undefined: no endpoint of this server takes forms. */
  readonly readForm: ReadForm | undefined
  /** `/v1/models/` for an endpoint `/v1/models/*`; null when its path names all parts. */
  readonly wildcardPrefix: string | null
  /** The path of an endpoint that has no other; null when it varies. */
  readonly fixedPath: string | null
  readonly idleSeconds: number
  readonly clock: Clock
}

/** Sets after how many idle seconds the connection of a request is closed; 0 is never. */
export interface ConnectionTimer {
  timeout(request: Request, seconds: number): void
  requestIP(request: Request): { readonly address: string } | null
}

/** A request of Bun's server as an exchange. What costs something is worked out only when asked for. */
export class BunExchange implements Exchange {
  readonly requestId = makeRequestId()
  readonly startedAtMs: number
  actor?: string
  readonly #request: Request
  readonly #timer: ConnectionTimer
  readonly #options: ExchangeOptions
  #path: string | null
  #leaveListeners: (() => void)[] = []
  #headers: Headers | null = null
  #body: BodyReading | null = null
  #isLasting = false
  #interruption: GatewayError | null = null

  constructor(request: Request, timer: ConnectionTimer, options: ExchangeOptions) {
    this.startedAtMs = options.clock.nowMs()
    this.#request = request
    this.#timer = timer
    this.#options = options
    this.#path = options.fixedPath
  }

  get params(): Readonly<Record<string, string>> {
    const { fixedPath, wildcardPrefix } = this.#options
    if (fixedPath !== null) return NO_PARAMS
    return paramsOf(this.#request, wildcardPrefix === null ? null : restOf(this.path, wildcardPrefix))
  }

  get method(): string {
    return this.#request.method
  }

  get path(): string {
    this.#path ??= pathOf(this.#request.url)
    return this.#path
  }

  get query(): URLSearchParams {
    const { url } = this.#request
    const mark = url.indexOf('?')
    return new URLSearchParams(mark < 0 ? '' : url.slice(mark + 1))
  }

  get headers(): Headers {
    this.#headers ??= this.#request.headers
    return this.#headers
  }

  get address(): string | null {
    return this.#timer.requestIP(this.#request)?.address ?? null
  }

  onLeave(listener: () => void): () => void {
    if (this.hasClientLeft || this.#interruption !== null) {
      listener()
      return () => {}
    }
    this.#leaveListeners.push(listener)
    return () => {
      const place = this.#leaveListeners.indexOf(listener)
      if (place >= 0) this.#leaveListeners.splice(place, 1)
    }
  }

  /**
   * From now on the client's going is heard of at once, and its connection is not closed for being idle. Both cost
   * more than most of what a quick request needs, so they are asked for only when a request turns out not to be one.
   */
  prepareToLast(): void {
    if (this.#isLasting) return
    this.#isLasting = true
    this.#timer.timeout(this.#request, 0)
    const { signal } = this.#request
    if (signal.aborted) this.#tellListeners()
    else signal.addEventListener('abort', () => this.#tellListeners(), { once: true })
  }

  /** Called every few milliseconds until the answer begins: a request that is still waiting then may wait for long. */
  look(): void {
    this.prepareToLast()
    this.#body?.look()
  }

  readText(): Promise<string> {
    this.#body = new BodyReading(this.#request, this.headers, this.#options.bodyLimits)
    return this.#body.text
  }

  readForm(rules: UploadRules): Promise<UploadedForm> {
    const { readForm } = this.#options
    if (readForm === undefined) throw new Error('this server was built without a reader of forms')
    const { headers, body } = this.#request
    return readForm({ headers, body, onLeave: (listener) => this.onLeave(listener) }, rules)
  }

  announceEnd(): void {
    // A connection keeps its time-out for later requests.
    if (this.#isLasting) this.#timer.timeout(this.#request, this.#options.idleSeconds)
  }

  /** Whether nobody is there any more to read the answer. */
  get hasClientLeft(): boolean {
    return this.#isLasting && this.#request.signal.aborted
  }

  /** What `interrupt` was given; it is then the answer, whatever the story ended in. */
  get interruption(): GatewayError | null {
    return this.#interruption
  }

  /** Ends the wait for an answer that has not begun. */
  interrupt(error: GatewayError): void {
    this.#interruption = error
    this.#tellListeners()
  }

  #tellListeners(): void {
    const listeners = this.#leaveListeners
    this.#leaveListeners = []
    for (const listener of listeners) listener()
  }
}

export function makeRequestId(): string {
  // Ids that begin with the time are stored next to each other, which makes writing settlements twice as cheap.
  return `req_${Bun.randomUUIDv7('buffer').toString('hex')}`
}

/**
 * Cheaper than parsing the whole address, and the query never comes along. Without a usable host the server gives
 * the path alone.
 */
export function pathOf(url: string): string {
  const start = url.startsWith('/') ? 0 : url.indexOf('/', url.indexOf('://') + 3)
  const end = url.indexOf('?', start)
  return end < 0 ? url.slice(start) : url.slice(start, end)
}

function paramsOf(request: Request, rest: string | null): Readonly<Record<string, string>> {
  const named = (request as Partial<Bun.BunRequest>).params
  if (rest !== null) return { ...named, '*': decodePath(rest) }
  return named ?? NO_PARAMS
}

/** Routes are matched before `..` is resolved, so a path may have left its route; then it names nothing there. */
function restOf(path: string, prefix: string): string {
  return path.startsWith(prefix) ? path.slice(prefix.length) : ''
}

/** A path that is not valid percent-encoding names nothing, so it is left as it is and will not be found. */
function decodePath(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
