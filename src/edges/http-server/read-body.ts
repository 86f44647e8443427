import { GatewayError } from '../../errors/gateway-error.ts'

export interface BodyLimits {
  readonly maxBytes: number
  readonly timeoutMs: number
}

// The rest of a body that never came must not be read as a new request.
const CLOSE = { connection: 'close' } as const

/**
 * The whole body as text, or a refusal that says what is wrong with it. Its time is looked after by whoever looks after
 * the request: nearly every body is there at once, and a timer for each would cost more than reading it.
 */
export class BodyReading {
  readonly #limits: BodyLimits
  readonly #headers: Headers
  readonly #text = Promise.withResolvers<string>()
  readonly #dueAtMs: number
  #isDone = false

  constructor(request: Request, headers: Headers, limits: BodyLimits) {
    this.#limits = limits
    this.#headers = headers
    this.#dueAtMs = performance.now() + limits.timeoutMs
    this.#begin(request).then(this.#take, this.#fail)
  }

  get text(): Promise<string> {
    return this.#text.promise
  }

  /** Gives up on a body that has not come in time. */
  look(): void {
    if (!this.#isDone && performance.now() >= this.#dueAtMs) this.#fail(tooSlow(this.#limits))
  }

  #begin(request: Request): Promise<Uint8Array> {
    const contentType = this.#headers.get('content-type')
    if (!isJson(contentType)) return Promise.reject(otherMediaType(contentType))
    const declared = Number(this.#headers.get('content-length') ?? Number.NaN)
    if (declared > this.#limits.maxBytes) return Promise.reject(tooLarge(this.#limits))
    return Number.isFinite(declared) ? request.bytes() : readCounting(request, this.#limits)
  }

  readonly #take = (bytes: Uint8Array): void => {
    this.#isDone = true
    try {
      this.#text.resolve(decoder.decode(bytes))
    } catch {
      this.#text.reject(unreadable(this.#headers))
    }
  }

  readonly #fail = (error: unknown): void => {
    this.#isDone = true
    this.#text.reject(error instanceof GatewayError ? error : cutShort(error))
  }
}

function isJson(contentType: string | null): boolean {
  if (contentType === null || contentType === 'application/json') return true
  return /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(contentType)
}

function otherMediaType(contentType: string | null): GatewayError {
  const got = JSON.stringify(contentType?.slice(0, 100))
  return new GatewayError('unsupported_media_type', `The content type is ${got}; send application/json.`)
}

/** A chunked body does not say how long it is, so it is counted while it comes. */
async function readCounting(request: Request, limits: BodyLimits): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of request.body ?? []) {
    size += chunk.length
    if (size > limits.maxBytes) throw tooLarge(limits)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function cutShort(cause: unknown): GatewayError {
  const message = 'The body ended before it was complete.'
  return new GatewayError('invalid_request', message, { headers: CLOSE, cause })
}

const decoder = new TextDecoder('utf-8', { fatal: true })

function unreadable(headers: Headers): GatewayError {
  const encoding = headers.get('content-encoding')
  if (encoding === null) return new GatewayError('invalid_request', 'The body is not valid UTF-8.')
  const got = JSON.stringify(encoding.slice(0, 100))
  return new GatewayError('unsupported_media_type', `The content encoding is ${got}; send the body plain.`)
}

/**
 * The connection stays open: the server reads the rest of the body and throws it away, keeping none of it in memory.
 * Closing instead would fail a client that is still sending before it has read this answer.
 */
function tooLarge({ maxBytes }: BodyLimits): GatewayError {
  return new GatewayError('request_too_large', `The body is larger than ${maxBytes} bytes.`)
}

function tooSlow({ timeoutMs }: BodyLimits): GatewayError {
  const message = `The body did not arrive within ${timeoutMs / 1000} seconds.`
  return new GatewayError('invalid_request', message, { headers: CLOSE })
}
