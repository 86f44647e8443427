import type { GatewayError } from '../../errors/gateway-error.ts'
import type { Exchange } from '../../serve/ports/exchange.ts'
import type { ReadForm, UploadedForm, UploadRules } from '../../serve/ports/uploads.ts'
import type { HeadFields } from '../../wire/head-fields.ts'
import type { TrustedProxies } from '../../wire/trusted-proxies.ts'
import type { BodyBudget, HeldBody } from './body-budget.ts'
import {
  type BodyLimits,
  BodyReading,
  decodeBody,
  type IncomingBody,
  narrowed,
  refusalOf,
  streamOf,
} from './incoming-body.ts'
import type { RequestHead } from './request-head.ts'

const READ: RequestContent = { length: 0, body: Buffer.alloc(0) }
const NO_PARAMS: Readonly<Record<string, string>> = {}
const NOTHING_TO_STOP = (): void => {}

export interface ExchangeOptions {
  readonly bodyLimits: BodyLimits
  readonly bodyBudget: BodyBudget
  /** undefined when no endpoint of this server takes forms. */
  readonly readForm?: ReadForm | undefined
  /** undefined when clients connect without a proxy. */
  readonly proxies?: TrustedProxies | undefined
}

/** The body: complete, or still arriving. */
export interface RequestContent {
  readonly length: number | 'chunked'
  readonly body: Uint8Array | IncomingBody
}

export interface ExchangeParts {
  readonly requestId: string
  readonly head: RequestHead
  readonly content: RequestContent
  readonly startedAtMs: number
  /** The connection's remote address. */
  readonly connection: { readonly address: string | null }
}

/** A request and its waiting client. Costly values are computed on first use. */
export class SocketExchange implements Exchange {
  readonly requestId: string
  readonly startedAtMs: number
  readonly bodyLength: number
  params = NO_PARAMS
  actor?: string
  bodyOwner?: string
  readonly #head: RequestHead
  #content: RequestContent
  readonly #connection: { readonly address: string | null }
  readonly #options: ExchangeOptions
  #leaveListeners: (() => void)[] | null = null
  #reading: BodyReading | null = null
  #held: HeldBody | null = null
  /** Bytes of a form, most of which go to disk. */
  #streamedBytes = 0
  #isOver = false
  #hasClientLeft = false
  #interruption: GatewayError | null = null

  constructor(
    { requestId, head, content, startedAtMs, connection }: ExchangeParts,
    options: ExchangeOptions,
  ) {
    this.requestId = requestId
    this.startedAtMs = startedAtMs
    this.#head = head
    this.#content = content
    this.bodyLength = content.length === 'chunked' ? Number.POSITIVE_INFINITY : content.length
    this.#connection = connection
    this.#options = options
  }

  get head(): RequestHead {
    return this.#head
  }

  get method(): string {
    return this.#head.method
  }

  get path(): string {
    return this.#head.path
  }

  get query(): URLSearchParams {
    return new URLSearchParams(this.#head.query)
  }

  get headers(): HeadFields {
    return this.#head.fields
  }

  get address(): string | null {
    const peer = this.#connection.address
    const { proxies } = this.#options
    return proxies === undefined ? peer : proxies.clientAddress(peer, this.headers.get('x-forwarded-for'))
  }

  get bodyBytes(): number {
    return Math.max(this.#held?.bytes ?? 0, this.#streamedBytes)
  }

  onLeave(listener: () => void): () => void {
    if (this.#hasClientLeft || this.#interruption !== null) {
      listener()
      return NOTHING_TO_STOP
    }
    this.#leaveListeners ??= []
    this.#leaveListeners.push(listener)
    return () => {
      const place = this.#leaveListeners?.indexOf(listener) ?? -1
      if (place >= 0) this.#leaveListeners?.splice(place, 1)
    }
  }

  readText(maxBytes = Number.POSITIVE_INFINITY): string | Promise<string> {
    const bodyLimits = narrowed(this.#options.bodyLimits, maxBytes)
    const { body, length } = this.#content
    const refusal = refusalOf(this.headers, body instanceof Uint8Array ? body.length : length, bodyLimits)
    if (refusal !== null) throw refusal
    const held = this.#hold()
    if (length !== 'chunked') held.expect(length)
    // The answer may take minutes, so the body is released now; the caller keeps what it needs.
    this.#content = READ
    if (body instanceof Uint8Array) {
      held.add(body.length)
      return decodeBody(body, this.headers)
    }
    this.#reading = new BodyReading(body, bodyLimits, held)
    return this.#reading.bytes.then((bytes) => {
      this.#reading = null
      return decodeBody(bytes, this.headers)
    })
  }

  readForm(rules: UploadRules): Promise<UploadedForm> {
    const { readForm } = this.#options
    if (readForm === undefined) throw new Error('This server has no form reader.')
    const held = this.#hold()
    const { body, length } = this.#content
    const onLeave = (listener: () => void) => this.onLeave(listener)
    const { headers } = this
    if (body instanceof Uint8Array) {
      held.add(body.length)
      const stream = length === 0 ? null : new Blob([body]).stream()
      return readForm({ headers, body: stream, onLeave }, rules)
    }
    const stream = streamOf(body, (bytes) => {
      this.#streamedBytes += bytes
    })
    return readForm({ headers, body: stream, onLeave, hold: (bytes) => held.add(bytes) }, rules)
  }

  /** A handler may read the body after the client has disconnected; nothing is counted then. */
  #hold(): HeldBody {
    this.#held ??= this.#options.bodyBudget.begin(this.bodyOwner ?? null)
    if (this.#isOver) this.#held.release()
    return this.#held
  }

  /** Frees the body's memory: the answer has been sent, or the client has disconnected. */
  end(): void {
    this.#isOver = true
    this.#held?.release()
  }

  /** Called periodically until the answer begins. */
  look(): void {
    this.#reading?.look()
  }

  /** Whether the client has disconnected. */
  get hasClientLeft(): boolean {
    return this.#hasClientLeft
  }

  leave(): void {
    this.#hasClientLeft = true
    this.#tellListeners()
  }

  /** The error passed to `interrupt`, which replaces the handler's answer. */
  get interruption(): GatewayError | null {
    return this.#interruption
  }

  /** Answers with this error instead, if the answer has not begun. */
  interrupt(error: GatewayError): void {
    this.#interruption = error
    this.#tellListeners()
  }

  #tellListeners(): void {
    const listeners = this.#leaveListeners ?? []
    this.#leaveListeners = null
    for (const listener of listeners) listener()
  }
}
