import type { BodyFraming, BodyTaker } from '../../wire/body-framing.ts'

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
const MOST_HELD_BYTES = 64 * 1024
// Of a body that comes faster than it is read.
const MOST_WAITING_BYTES = 256 * 1024

/** A body that is still coming in. */
export class IncomingBody implements BodyTaker {
  readonly #framing: BodyFraming
  readonly #flow: BodyFlow
  #held: Buffer[] = []
  #heldBytes = 0
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
    if (this.isComplete) this.#reader?.complete()
    else if (this.#reader === null && this.#heldBytes > MOST_HELD_BYTES) this.#flow.setPaused(true)
    return taken
  }

  takeBody(bytes: Buffer): void {
    if (this.#isDiscarded) return
    if (this.#reader !== null) {
      this.#reader.takeBody(bytes)
      return
    }
    this.#held.push(bytes)
    this.#heldBytes += bytes.length
  }

  /** From now on the body goes to this reader; what has come already, at once. */
  readBy(reader: BodyReader): void {
    if (this.#failure !== null) {
      reader.fail(this.#failure)
      return
    }
    this.#reader = reader
    for (const bytes of this.#held.splice(0)) this.takeBody(bytes)
    if (this.isComplete) {
      reader.complete()
      return
    }
    this.#flow.invite()
    this.#flow.setPaused(false)
  }

  setPaused(isPaused: boolean): void {
    if (!this.#isDiscarded) this.#flow.setPaused(isPaused)
  }

  /** Nobody will read the rest. It is still taken in, since the next request comes after it. */
  discard(): void {
    this.#isDiscarded = true
    this.#held = []
    this.#heldBytes = 0
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

/** Gathers a body up to a size, and gives up on it beyond. */
export class GatheringReader implements BodyReader {
  readonly #gathered = Promise.withResolvers<Uint8Array>()
  readonly #maxBytes: number
  readonly #refuse: () => Error
  #pieces: Uint8Array[] = []
  #bytes = 0

  constructor(maxBytes: number, refuse: () => Error) {
    this.#maxBytes = maxBytes
    this.#refuse = refuse
  }

  get whole(): Promise<Uint8Array> {
    return this.#gathered.promise
  }

  takeBody(bytes: Buffer): void {
    this.#bytes += bytes.length
    if (this.#bytes <= this.#maxBytes) this.#pieces.push(bytes)
    else this.fail(this.#refuse())
  }

  complete(): void {
    this.#gathered.resolve(Buffer.concat(this.#pieces))
  }

  fail(error: Error): void {
    this.#pieces = []
    this.#gathered.reject(error)
  }
}

/** A body as a stream that comes at the pace of its reader. */
export function streamOf(body: IncomingBody): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      start: (controller) =>
        body.readBy({
          takeBody: (bytes) => {
            controller.enqueue(bytes)
            if ((controller.desiredSize ?? 0) <= 0) body.setPaused(true)
          },
          complete: () => controller.close(),
          fail: (error) => controller.error(error),
        }),
      pull: () => body.setPaused(false),
      cancel: () => body.discard(),
    },
    new ByteLengthQueuingStrategy({ highWaterMark: MOST_WAITING_BYTES }),
  )
}
