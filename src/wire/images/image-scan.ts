import { BrokenImage, type ImageHeader, type ImageReader, type ScanStep, take } from './image-header.ts'
import { readJpeg } from './read-jpeg.ts'
import { readPng } from './read-png.ts'
import { readWebp } from './read-webp.ts'

/** `broken`: not an image of a supported type. */
export type ScanState = 'reading' | 'complete' | 'broken'

/**
 * Reads an image as it comes, in pieces of any size: its type by its content, its size without decoding it, and
 * whether it has its end. It keeps a few bytes at most.
 */
export class ImageScan {
  readonly #reader = readImage()
  #step: ScanStep | null
  #state: ScanState = 'reading'
  #header: ImageHeader | null = null
  /** The bytes received for a step that needs more. */
  #taken: number[] = []
  #skipped = 0

  constructor() {
    this.#step = this.#reader.next().value ?? null
  }

  /** May be known before the image turns out broken. */
  get header(): ImageHeader | null {
    return this.#header
  }

  get state(): ScanState {
    return this.#state
  }

  push(bytes: Uint8Array): void {
    let offset = 0
    while (this.#state === 'reading' && offset < bytes.length) offset = this.#advance(bytes, offset)
    // The header is announced after its bytes, and must not wait for the bytes that follow.
    this.#settle()
  }

  /** Returns the offset at which to continue. */
  #advance(bytes: Uint8Array, offset: number): number {
    this.#settle()
    const step = this.#step
    switch (step?.type) {
      case 'take':
        return this.#take(bytes, offset, step.bytes)
      case 'skip':
        return this.#skip(bytes.length - offset, step.bytes) + offset
      case 'seek': {
        const found = bytes.indexOf(step.value, offset)
        if (found >= 0) this.#answer()
        return found < 0 ? bytes.length : found
      }
      default:
        return bytes.length
    }
  }

  /** Performs the steps that need no bytes. */
  #settle(): void {
    for (;;) {
      const step = this.#step
      if (step?.type === 'header') this.#header = step.header
      else if (step?.type !== 'skip' || step.bytes > 0) return
      this.#answer()
    }
  }

  #take(bytes: Uint8Array, offset: number, wanted: number): number {
    const end = Math.min(bytes.length, offset + wanted - this.#taken.length)
    this.#taken.push(...bytes.subarray(offset, end))
    if (this.#taken.length === wanted) {
      const whole = new DataView(Uint8Array.from(this.#taken).buffer)
      this.#taken = []
      this.#answer(whole)
    }
    return end
  }

  #skip(available: number, wanted: number): number {
    const skipped = Math.min(available, wanted - this.#skipped)
    this.#skipped += skipped
    if (this.#skipped === wanted) {
      this.#skipped = 0
      this.#answer()
    }
    return skipped
  }

  #answer(bytes = NOTHING): void {
    try {
      const next = this.#reader.next(bytes)
      this.#step = next.done ? null : next.value
      // An image that ends without a header has no pixels.
      if (next.done) this.#state = this.#header === null ? 'broken' : 'complete'
    } catch (error) {
      if (!(error instanceof BrokenImage)) throw error
      this.#step = null
      this.#state = 'broken'
    }
  }
}

const NOTHING = new DataView(new ArrayBuffer(0))

const READERS: ReadonlyMap<number, () => ImageReader> = new Map([
  [0x8950, readPng],
  [0xffd8, readJpeg],
  [0x5249, readWebp],
])

function* readImage(): ImageReader {
  const beginning = yield* take(2)
  const reader = READERS.get(beginning.getUint16(0))
  if (reader === undefined) throw new BrokenImage('unknown type')
  yield* reader()
}

/** The header of an image; null when the type is not supported or the header is incomplete. */
export function readImageHeader(bytes: Uint8Array): ImageHeader | null {
  const scan = new ImageScan()
  scan.push(bytes)
  return scan.header
}
