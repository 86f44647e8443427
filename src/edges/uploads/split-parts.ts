import type { Readable } from 'node:stream'
import { Dicer } from '@fastify/busboy'
import { refusals } from './refusals.ts'

/** One part of a multipart body. Its content must be read, or the body does not go on. */
export interface IncomingPart {
  /** The header as bytes; undefined when the part has none. */
  readonly disposition: string | undefined
  /** Counted from 0. */
  readonly place: number
  readonly content: AsyncIterable<Uint8Array>
}

export type TakePart = (part: IncomingPart) => Promise<void>

const LIMITS = {
  // What goes beyond is left out, and a part whose name is among it is refused for having none.
  maxHeaderPairs: 20,
  maxHeaderSize: 8 * 1024,
  // The splitter's own way of waiting for those who take parts can wait for ever, so the flow is kept here.
  partHwm: Number.MAX_SAFE_INTEGER,
}

/**
 * Cuts a multipart body into its parts, no faster than they are taken. When it fails, whether by the body or by one
 * who takes parts, everybody has stopped by then.
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
  // The failure may come while nobody waits for it yet.
  failed.catch(() => undefined)
  // At once: a part that began after the others were waited for would be put down where nobody clears away.
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
  // The header comes before the content, and a part without either ends at once.
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

/** Knows how far the parts of a body have been taken, so that no more of it is read than can be put down. */
export class PartFlow {
  readonly #streams: Readable[] = []
  /** Pieces that somebody has in hand. */
  #taken = 0
  #onProgress: (() => void) | null = null
  #hasStopped = false

  get hasStopped(): boolean {
    return this.#hasStopped
  }

  async *read(stream: Readable): AsyncGenerator<Uint8Array, void> {
    this.#streams.push(stream)
    // Whoever reads the content is told as well; without a listener the process would end.
    stream.on('error', () => undefined)
    for await (const piece of stream as AsyncIterable<Uint8Array>) {
      this.#taken += 1
      try {
        yield piece
      } finally {
        this.#taken -= 1
        this.#onProgress?.()
      }
    }
  }

  /** Resolves when everything that has come so far has been taken, or all reading has ended. */
  async settle(): Promise<void> {
    while (!this.#hasStopped && this.#isBehind()) {
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

  #isBehind(): boolean {
    return this.#taken > 0 || this.#streams.some(({ readableLength }) => readableLength > 0)
  }
}
