import { GatewayError } from '../../errors/gateway-error.ts'
import type { BodyFraming, BodyTaker } from '../../wire/body-framing.ts'
import type { HeldBody } from './body-budget.ts'
import { GatheredBytes, LARGE_BYTES } from './growing-bytes.ts'

/** The connection that a body arrives on, which can be paused. */
export interface BodyFlow {
  setPaused(isPaused: boolean): void
  /** Sends `100 Continue` to a client that waits for it. */
  sendContinue(): void
}

/** Receives a body. */
export interface BodyReader extends BodyTaker {
  complete(): void
  fail(error: Error): void
}

// Buffered before a reader asks for the body; the client keeps the rest.
const MAX_HELD_BYTES = 64 * 1024
// Buffered when a body arrives faster than it is read.
const MAX_WAITING_BYTES = 256 * 1024

/** A body that is still arriving. */
export class IncomingBody implements BodyTaker {
  readonly #framing: BodyFraming
  readonly #flow: BodyFlow
  /** Bytes that no reader has taken yet. */
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

  /** Returns how many of these bytes belong to this body. Throws MalformedMessage when the framing is broken. */
  push(bytes: Buffer): number {
    const taken = this.#framing.push(bytes, this)
    if (this.#reader !== null) this.#giveTo(this.#reader)
    else if (this.#unread.length > MAX_HELD_BYTES) this.#flow.setPaused(true)
    return taken
  }

  takeBody(bytes: Buffer): void {
    if (!this.#isDiscarded) this.#unread.add(bytes)
  }

  /** Sends the body to this reader, starting with the bytes that have arrived. */
  readBy(reader: BodyReader): void {
    if (this.#failure !== null) {
      reader.fail(this.#failure)
      return
    }
    this.#reader = reader
    this.#giveTo(reader)
    if (this.isComplete) return
    this.#flow.sendContinue()
    this.#flow.setPaused(false)
  }

  /** Passes small chunks on as one piece: each buffer object takes far more memory than a small chunk holds. */
  #giveTo(reader: BodyReader): void {
    if (this.#unread.length > 0) reader.takeBody(this.#unread.take())
    if (!this.isComplete) return
    this.#reader = null
    reader.complete()
  }

  setPaused(isPaused: boolean): void {
    if (!this.#isDiscarded) this.#flow.setPaused(isPaused)
  }

  /** Drops the rest of the body. It is still received, because the next request follows it. */
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

/** Makes a text of a whole body, which it must not keep. */
export type DecodeBody = (bytes: Uint8Array) => string

/** Collects a whole body, and fails when there is no room for it. */
export class GatheringReader implements BodyReader {
  readonly #gathered = Promise.withResolvers<string>()
  readonly #takeRoom: (bytes: number) => void
  readonly #decode: DecodeBody
  readonly #bytes = new GatheredBytes()
  #hasFailed = false

  /** `takeRoom` throws the refusal when there is no room for that many more bytes. */
  constructor(takeRoom: (bytes: number) => void, decode: DecodeBody) {
    this.#takeRoom = takeRoom
    this.#decode = decode
  }

  get text(): Promise<string> {
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
    if (this.#hasFailed) return
    try {
      this.#gathered.resolve(this.#bytes.use(this.#decode))
    } catch (unreadable) {
      this.fail(unreadable as Error)
    }
  }

  fail(error: Error): void {
    this.#hasFailed = true
    this.#bytes.take()
    this.#gathered.reject(error)
  }
}

/** The body as a stream at its reader's pace. `count` is called with the size of each piece. */
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

/**
 * Frees the memory of a chunk at once, if nothing else shares it. Otherwise an upload would leave tens of megabytes
 * behind until the runtime collects them. Nobody may use the chunk afterwards.
 */
export function freeChunk({ buffer, byteLength }: Uint8Array): void {
  if (byteLength < LARGE_BYTES || byteLength !== buffer.byteLength) return
  if (buffer instanceof ArrayBuffer) buffer.transfer(0)
}

export interface BodyLimits {
  readonly maxBytes: number
  readonly timeoutMs: number
}

// The rest of an incomplete body must not be read as a new request.
const CLOSE = { connection: 'close' } as const

export interface BodyUse {
  /** Counts its bytes. */
  readonly held: HeldBody
  readonly decode: DecodeBody
}

/** Reads a body that is still arriving. The connection checks its timeout by calling `checkTimeout`. */
export class BodyReading {
  readonly #limits: BodyLimits
  readonly #gathering: GatheringReader
  readonly #dueAtMs: number

  constructor(body: IncomingBody, limits: BodyLimits, { held, decode }: BodyUse) {
    this.#limits = limits
    this.#dueAtMs = performance.now() + limits.timeoutMs
    const takeRoom = (bytes: number) => {
      if (held.bytes + bytes > limits.maxBytes) throw tooLarge(limits.maxBytes)
      held.add(bytes)
    }
    this.#gathering = new GatheringReader(takeRoom, decode)
    body.readBy(this.#gathering)
  }

  /** Rejects with a GatewayError that says what is wrong with the body. */
  get text(): Promise<string> {
    return this.#gathering.text
  }

  /** Fails a body that has not arrived in time. */
  checkTimeout(): void {
    if (performance.now() >= this.#dueAtMs) this.#gathering.fail(tooSlow(this.#limits))
  }
}

export function cutShort(): GatewayError {
  return new GatewayError('invalid_request', 'The body ended before it was complete.', { headers: CLOSE })
}

/**
 * The connection stays open, and the server discards the rest of the body as it arrives. If it closed instead, a client
 * that is still sending would fail before it reads this answer.
 */
export function tooLarge(maxBytes: number): GatewayError {
  return new GatewayError('request_too_large', `The body is larger than ${maxBytes} bytes.`)
}

function tooSlow({ timeoutMs }: BodyLimits): GatewayError {
  const message = `The body did not arrive within ${timeoutMs / 1000} seconds.`
  return new GatewayError('invalid_request', message, { headers: CLOSE })
}
