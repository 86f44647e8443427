import type { Readable } from 'node:stream'
import { Dicer } from '@fastify/busboy'
import { refusals } from './refusals.ts'

/** One part of a multipart body. You must read its content, or the body stalls. */
export interface IncomingPart {
  /** The header in latin1; undefined when the part has none. */
  readonly disposition: string | undefined
  /** Counted from 0. */
  readonly place: number
  readonly content: AsyncIterable<Uint8Array>
}

export type TakePart = (part: IncomingPart) => Promise<void>

const LIMITS = {
  // Headers beyond these limits are dropped. A part that loses its name that way is refused.
  maxHeaderPairs: 20,
  maxHeaderSize: 8 * 1024,
  // Dicer's own backpressure can wait forever, so PartFlow does it instead.
  partHwm: Number.MAX_SAFE_INTEGER,
}

/**
 * Splits a multipart body into its parts, at the pace of `takePart`. When it rejects, every `takePart` has ended.
 */
export async function splitParts(
  body: AsyncIterable<Uint8Array>,
  boundary: string,
  takePart: TakePart,
): Promise<void> {
  const splitter = new Dicer({ boundary, ...LIMITS })
  const flow = new PartFlow()
  const taking: Promise<void>[] = []
  const { promise: failed, reject } = Promise.withResolvers<never>()
  // The failure may occur before it is awaited.
  failed.catch(() => undefined)
  // Stops at once: the file of a part that starts later would never be deleted.
  const fail = (error: unknown) => {
    flow.stop()
    reject(error)
  }
  splitter.on('error', (error) =>
    fail(taking.length === 0 ? refusals.boundaryNotFound() : refusals.cutOff(error)),
  )
  splitter.on('part', (stream) => {
    const place = taking.length
    taking.push(takeStream(stream, flow, (part) => takePart({ ...part, place })).catch(fail))
  })
  try {
    await Promise.race([feed(splitter, body, flow), failed])
    await Promise.race([Promise.all(taking), failed])
  } finally {
    flow.stop()
    await Promise.allSettled(taking)
  }
}

async function feed(splitter: Dicer, body: AsyncIterable<Uint8Array>, flow: PartFlow): Promise<void> {
  const finished = new Promise<void>((resolve) => splitter.on('finish', resolve))
  for await (const chunk of body) {
    if (flow.hasStopped) return
    splitter.write(chunk)
    await flow.settle()
  }
  splitter.end()
  await finished
}

async function takeStream(
  stream: Dicer.PartStream,
  flow: PartFlow,
  take: (part: Omit<IncomingPart, 'place'>) => Promise<void>,
): Promise<void> {
  let header: Record<string, string[]> = {}
  stream.on('header', (read) => {
    header = read as Record<string, string[]>
  })
  const content = flow.read(stream)
  // The header arrives before the content, and a part without either ends at once.
  const first = await content.next()
  await take({ disposition: header['content-disposition']?.[0], content: continueWith(first, content) })
}

async function* continueWith(
  first: IteratorResult<Uint8Array, void>,
  rest: AsyncGenerator<Uint8Array, void>,
): AsyncGenerator<Uint8Array> {
  if (first.done) return
  yield first.value
  yield* rest
}

/** Backpressure: tracks how much of the parts has been read, so that the body is not read ahead. */
export class PartFlow {
  readonly #streams: Readable[] = []
  /** Bytes of the parts that have not been processed yet. */
  #waitingBytes = 0
  #onProgress: (() => void) | null = null
  #hasStopped = false

  get hasStopped(): boolean {
    return this.#hasStopped
  }

  async *read(stream: Readable): AsyncGenerator<Uint8Array, void> {
    this.#streams.push(stream)
    this.#countPushed(stream)
    // The loop below gets the error too; without a listener it would end the process.
    stream.on('error', () => undefined)
    for await (const piece of stream as AsyncIterable<Uint8Array>) {
      const { length } = piece
      try {
        yield piece
      } finally {
        this.#waitingBytes -= length
        this.#onProgress?.()
      }
    }
  }

  /** Counted when they are pushed: between the stream's buffer and the reader, bytes are in neither for a moment. */
  #countPushed(stream: Readable): void {
    const push = stream.push.bind(stream)
    stream.push = (piece: Uint8Array | null) => {
      this.#waitingBytes += piece?.length ?? 0
      return push(piece)
    }
  }

  /** Resolves when everything received so far has been processed, or reading has stopped. */
  async settle(): Promise<void> {
    while (!this.#hasStopped && this.#waitingBytes > 0) {
      await new Promise<void>((resolve) => {
        this.#onProgress = resolve
      })
    }
  }

  /** Ends all reading. */
  stop(): void {
    this.#hasStopped = true
    for (const stream of this.#streams) stream.destroy()
    this.#onProgress?.()
  }
}
