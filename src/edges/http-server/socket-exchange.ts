import { isAscii } from 'node:buffer'
import { GatewayError } from '../../errors/gateway-error.ts'
import type { KeyHolder } from '../../rules/access/api-keys.ts'
import type { Exchange } from '../../serve/ports/exchange.ts'
import type { RequestFindings } from '../../serve/ports/log.ts'
import type { RequestTrace } from '../../serve/ports/request-trace.ts'
import type { ReadForm, UploadedForm, UploadRules } from '../../serve/ports/uploads.ts'
import type { HeadFields } from '../../wire/head-fields.ts'
import type { HeaderFields } from '../../wire/http-answer.ts'
import type { TrustedProxies } from '../../wire/trusted-proxies.ts'
import { type BodyBudget, HeldBody } from './body-budget.ts'
import { freeEnd, LARGE_BYTES } from './growing-bytes.ts'
import {
  type BodyLimits,
  BodyReading,
  freeChunk,
  type IncomingBody,
  streamOf,
  tooLarge,
} from './incoming-body.ts'
import type { RequestHead } from './request-head.ts'

const READ: RequestContent = { length: 0, body: Buffer.alloc(0) }
const NO_PARAMS: Readonly<Record<string, string>> = {}
const NOTHING_TO_STOP = (): void => {}
const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i

const decoder = new TextDecoder('utf-8', { fatal: true })

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
  readonly head: RequestHead
  readonly method: string
  readonly path: string
  readonly headers: HeadFields
  readonly bodyLength: number
  params = NO_PARAMS
  actor?: string
  bodyOwner?: string
  refusedModel?: string
  hasSettlement?: boolean
  keyHolder?: KeyHolder | undefined
  modelId?: string
  settlement?: NonNullable<RequestFindings['settlement']>
  error?: NonNullable<RequestFindings['error']>
  trace?: RequestTrace
  /** The path of the endpoint that serves it; null when there is none. */
  route: string | null = null
  /** Called once, when the answer has been sent or the client has disconnected meanwhile. */
  onOver: (() => void) | null = null
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
    this.head = head
    this.method = head.method
    this.path = head.path
    this.headers = head.fields
    this.#content = content
    this.bodyLength = content.length === 'chunked' ? Number.POSITIVE_INFINITY : content.length
    this.#connection = connection
    this.#options = options
  }

  get query(): URLSearchParams {
    return new URLSearchParams(this.head.query)
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
    const { bodyLimits } = this.#options
    const limit = Math.min(maxBytes, bodyLimits.maxBytes)
    const { body, length } = this.#content
    const contentType = this.headers.get('content-type') ?? 'application/json'
    if (contentType !== 'application/json' && !JSON_TYPE.test(contentType)) throw otherMediaType(contentType)
    if (length !== 'chunked' && length > limit) throw tooLarge(limit)
    const held = this.#hold()
    if (body instanceof Uint8Array) {
      held.add(body.length)
      // The answer may take minutes, so the body is released now; the caller keeps what it needs.
      this.#content = READ
      try {
        return decodeBody(body, this.headers)
      } finally {
        freeEnd(body)
      }
    }
    if (length !== 'chunked') held.expect(length)
    this.#content = READ
    const decode = (bytes: Uint8Array) => decodeBody(bytes, this.headers)
    const limits = { maxBytes: limit, timeoutMs: bodyLimits.timeoutMs }
    this.#reading = new BodyReading(body, limits, { held, decode })
    return this.#reading.text.then((text) => {
      this.#reading = null
      return text
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
    const hold = (bytes: number) => held.add(bytes)
    return readForm({ headers, body: stream, onLeave, hold, release: freeChunk }, rules)
  }

  /** A handler may read the body after the client has disconnected; nothing is counted then. */
  #hold(): HeldBody {
    this.#held ??= new HeldBody(this.#options.bodyBudget, this.bodyOwner ?? null)
    if (this.#isOver) this.#held.release()
    return this.#held
  }

  /** Frees the body's memory: the answer has been sent, or the client has disconnected. */
  end(): void {
    this.#isOver = true
    this.#held?.release()
    const { onOver } = this
    this.onOver = null
    onOver?.()
  }

  /** Called periodically until the answer begins. */
  checkTimeout(): void {
    this.#reading?.checkTimeout()
  }

  /** Whether the client has disconnected. */
  get hasClientLeft(): boolean {
    return this.#hasClientLeft
  }

  leave(): void {
    this.#hasClientLeft = true
    this.#notifyListeners()
  }

  /** The error passed to `interrupt`, which replaces the handler's answer. */
  get interruption(): GatewayError | null {
    return this.#interruption
  }

  /** Answers with this error instead, if the answer has not begun. */
  interrupt(error: GatewayError): void {
    this.#interruption = error
    this.#notifyListeners()
  }

  #notifyListeners(): void {
    const listeners = this.#leaveListeners ?? []
    this.#leaveListeners = null
    for (const listener of listeners) listener()
  }
}

function decodeBody(bytes: Uint8Array, headers: HeaderFields): string {
  try {
    return bytes.length >= LARGE_BYTES && isAscii(bytes) ? asciiText(bytes) : decoder.decode(bytes)
  } catch {
    throw unreadable(headers)
  }
}

/** Many large bodies are ASCII alone, and then a copy is faster than the decoder. */
function asciiText({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('latin1')
}

function unreadable(headers: HeaderFields): GatewayError {
  const encoding = headers.get('content-encoding')
  if (encoding === null) return new GatewayError('invalid_request', 'The body is not valid UTF-8.')
  const got = JSON.stringify(encoding.slice(0, 100))
  return new GatewayError('unsupported_media_type', `The content encoding is ${got}; send the body plain.`)
}

function otherMediaType(contentType: string): GatewayError {
  const got = JSON.stringify(contentType.slice(0, 100))
  return new GatewayError('unsupported_media_type', `The content type is ${got}; send application/json.`)
}

const TIME_DIGITS = 12
const RANDOM_DIGITS = 20
const IDS_AT_ONCE = 200

/**
 * Ids that begin with the time, so that neighbours are stored together, which halves the cost of writing settlements.
 * The rest is 80 random bits, drawn for many ids at once.
 */
export class RequestIds {
  #random = ''
  #used = 0
  #prefix = ''
  #prefixAtMs = Number.NaN

  next(nowMs: number): string {
    if (this.#used === this.#random.length) this.#draw()
    if (nowMs !== this.#prefixAtMs) {
      this.#prefixAtMs = nowMs
      this.#prefix = `req_${Math.floor(nowMs).toString(16).padStart(TIME_DIGITS, '0')}`
    }
    const from = this.#used
    this.#used += RANDOM_DIGITS
    return this.#prefix + this.#random.slice(from, this.#used)
  }

  #draw(): void {
    const bytes = crypto.getRandomValues(Buffer.alloc((IDS_AT_ONCE * RANDOM_DIGITS) / 2))
    this.#random = bytes.toString('hex')
    this.#used = 0
  }
}
