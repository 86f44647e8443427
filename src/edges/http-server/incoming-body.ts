import { GatewayError } from '../../errors/gateway-error.ts'
import type { BodyFraming, BodyTaker } from '../../wire/body-framing.ts'
import type { HeaderFields } from '../../wire/http-answer.ts'
import type { HeldBody } from './body-budget.ts'
import { GatheredBytes } from './growing-bytes.ts'

/** Where the bytes of a body come from, and can be held back. */
export interface BodyFlow {
  setPaused(isPaused: boolean): void
  /** Somebody wants the body: a client that waits for this may send it. */
  invite(): void
}

/** Whoever reads a body. */
export interface BodyReader extends BodyTaker {
  complete(): void
  fail(error: Error): void
}

// Of a body that nobody has asked for yet; the rest waits with the client.
const MAX_HELD_BYTES = 64 * 1024
// Of a body that comes faster than it is read.
const MAX_WAITING_BYTES = 256 * 1024

/** A body that is still coming in. */
export class IncomingBody implements BodyTaker {
  readonly #framing: BodyFraming
  readonly #flow: BodyFlow
  /** What nobody has read yet. */
  readonly #unread = new GatheredBytes()
  #reader: BodyReader | null = null
  #failure: Error | null = null
  #isDiscarded = false

  constructor(framing: BodyFraming, flow: BodyFlow) {
    this.#framing = framing
    this.#flow = flow
  }

  get isComplete(): boolean {
    return this.#framing.isComplete
  }

  /** Returns how many of these bytes belong to this body. Throws MalformedMessage when that cannot be told. */
  push(bytes: Buffer): number {
    const taken = this.#framing.push(bytes, this)
    if (this.#reader !== null) this.#giveTo(this.#reader)
    else if (this.#unread.length > MAX_HELD_BYTES) this.#flow.setPaused(true)
    return taken
  }

  takeBody(bytes: Buffer): void {
    if (!this.#isDiscarded) this.#unread.add(bytes)
  }

  /** From now on the body goes to this reader; what has come already, at once. */
  readBy(reader: BodyReader): void {
    if (this.#failure !== null) {
      reader.fail(this.#failure)
      return
    }
    this.#reader = reader
    this.#giveTo(reader)
    if (this.isComplete) return
    this.#flow.invite()
    this.#flow.setPaused(false)
  }

  /** Many small chunks that came together are one piece: each alone would take far more memory than it holds. */
  #giveTo(reader: BodyReader): void {
    if (this.#unread.length > 0) reader.takeBody(this.#unread.take())
    if (!this.isComplete) return
    this.#reader = null
    reader.complete()
  }

  setPaused(isPaused: boolean): void {
    if (!this.#isDiscarded) this.#flow.setPaused(isPaused)
  }

  /** Nobody will read the rest. It is still taken in, since the next request comes after it. */
  discard(): void {
    this.#isDiscarded = true
    this.#unread.take()
    this.#reader = null
    this.#flow.setPaused(false)
  }

  fail(error: Error): void {
    this.#failure = error
    const reader = this.#reader
    this.#reader = null
    reader?.fail(error)
  }
}

/** Gathers a body as far as there is room for it, and gives up on it beyond. */
export class GatheringReader implements BodyReader {
  readonly #gathered = Promise.withResolvers<Uint8Array>()
  readonly #takeRoom: (bytes: number) => void
  readonly #bytes = new GatheredBytes()
  #hasFailed = false

  /** `takeRoom` throws why so many more bytes are not taken. */
  constructor(takeRoom: (bytes: number) => void) {
    this.#takeRoom = takeRoom
  }

  get whole(): Promise<Uint8Array> {
    return this.#gathered.promise
  }

  takeBody(bytes: Buffer): void {
    if (this.#hasFailed) return
    try {
      this.#takeRoom(bytes.length)
      this.#bytes.add(bytes)
    } catch (refusal) {
      this.fail(refusal as Error)
    }
  }

  complete(): void {
    this.#gathered.resolve(this.#bytes.take())
  }

  fail(error: Error): void {
    this.#hasFailed = true
    this.#bytes.take()
    this.#gathered.reject(error)
  }
}

/** A body as a stream that comes at the pace of its reader. `count` is told how much has come. */
export function streamOf(body: IncomingBody, count: (bytes: number) => void): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      start: (controller) =>
        body.readBy({
          takeBody: (bytes) => {
            count(bytes.length)
            controller.enqueue(bytes)
            if ((controller.desiredSize ?? 0) <= 0) body.setPaused(true)
          },
          complete: () => controller.close(),
          fail: (error) => controller.error(error),
        }),
      pull: () => body.setPaused(false),
      cancel: () => body.discard(),
    },
    new ByteLengthQueuingStrategy({ highWaterMark: MAX_WAITING_BYTES }),
  )
}

export interface BodyLimits {
  readonly maxBytes: number
  readonly timeoutMs: number
}

export function narrowed(limits: BodyLimits, maxBytes: number): BodyLimits {
  return maxBytes < limits.maxBytes ? { ...limits, maxBytes } : limits
}

// The rest of a body that never came must not be read as a new request.
const CLOSE = { connection: 'close' } as const

const decoder = new TextDecoder('utf-8', { fatal: true })

/** Why a body is not read at all; null when it is. */
export function refusalOf(
  headers: HeaderFields,
  length: number | 'chunked',
  limits: BodyLimits,
): GatewayError | null {
  const contentType = headers.get('content-type')
  if (!isJson(contentType)) return otherMediaType(contentType)
  return length !== 'chunked' && length > limits.maxBytes ? tooLarge(limits) : null
}

export function decodeBody(bytes: Uint8Array, headers: HeaderFields): string {
  try {
    return decoder.decode(bytes)
  } catch {
    throw unreadable(headers)
  }
}

/** Reads a body that is still coming in. Whoever looks after the request also looks whether its time is up. */
export class BodyReading {
  readonly #limits: BodyLimits
  readonly #gathering: GatheringReader
  readonly #dueAtMs: number

  constructor(body: IncomingBody, limits: BodyLimits, held: HeldBody) {
    this.#limits = limits
    this.#dueAtMs = performance.now() + limits.timeoutMs
    this.#gathering = new GatheringReader((bytes) => {
      if (held.bytes + bytes > limits.maxBytes) throw tooLarge(limits)
      held.add(bytes)
    })
    body.readBy(this.#gathering)
  }

  /** Rejects with a refusal that says what is wrong with the body. */
  get bytes(): Promise<Uint8Array> {
    return this.#gathering.whole
  }

  /** Gives up on a body that has not come in time. */
  look(): void {
    if (performance.now() >= this.#dueAtMs) this.#gathering.fail(tooSlow(this.#limits))
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

export function cutShort(): GatewayError {
  return new GatewayError('invalid_request', 'The body ended before it was complete.', { headers: CLOSE })
}

function unreadable(headers: HeaderFields): GatewayError {
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
