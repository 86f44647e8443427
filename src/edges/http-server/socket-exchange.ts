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
  /** undefined: no endpoint of this server takes forms. */
  readonly readForm?: ReadForm | undefined
  /** undefined: whoever is connected is the client. */
  readonly proxies?: TrustedProxies | undefined
}

/** What came after the head: all of the body, or what brings the rest of it. */
export interface RequestContent {
  readonly length: number | 'chunked'
  readonly body: Uint8Array | IncomingBody
}

export interface ExchangeParts {
  readonly requestId: string
  readonly head: RequestHead
  readonly content: RequestContent
  readonly startedAtMs: number
  /** Where the connection comes from. */
  readonly connection: { readonly address: string | null }
}

/** A request and whoever waits for its answer. What costs something is worked out only when asked for. */
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
  /** Of a form, most of which goes to disk. */
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
    // An answer may take minutes, and whoever reads a body keeps of it what is needed.
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
    if (readForm === undefined) throw new Error('this server was built without a reader of forms')
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

  /** A story may ask for its body after the client has gone; nothing is counted then. */
  #hold(): HeldBody {
    this.#held ??= this.#options.bodyBudget.begin(this.bodyOwner ?? null)
    if (this.#isOver) this.#held.release()
    return this.#held
  }

  /** The answer is sent or nobody waits for it: the memory of the body is free again. */
  end(): void {
    this.#isOver = true
    this.#held?.release()
  }

  /** Called every now and then until the answer begins. */
  look(): void {
    this.#reading?.look()
  }

  /** Whether nobody is there any more to read the answer. */
  get hasClientLeft(): boolean {
    return this.#hasClientLeft
  }

  leave(): void {
    this.#hasClientLeft = true
    this.#tellListeners()
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
    const listeners = this.#leaveListeners ?? []
    this.#leaveListeners = null
    for (const listener of listeners) listener()
  }
}
