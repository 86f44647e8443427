import { MalformedMessage } from '../../wire/head-fields.ts'
import {
  type AnswerBytes,
  asResponse,
  type ByteReader,
  type HeaderFields,
  type HttpAnswer,
  type ReadResult,
} from '../../wire/http-answer.ts'

type Coding = NonNullable<ConstructorParameters<typeof DecompressionStream>[0]>

const CODINGS = new Map<string, Coding>([
  ['gzip', 'gzip'],
  ['x-gzip', 'gzip'],
  ['deflate', 'deflate'],
  ['br', 'brotli'],
  ['zstd', 'zstd'],
])

// Room for a few replies of the largest kind.
const MAX_UNPACKED_BYTES = 192 * 1024 * 1024
// The first bytes of each answer are not counted, so that huge answers never block ordinary ones.
const UNCOUNTED_BYTES = 256 * 1024

/**
 * Limits the decompressed bytes in memory over all calls. A compressed kilobyte can hold a megabyte, so the size of a
 * response on the wire says little about the memory it needs.
 */
export class UnpackBudget {
  #leftBytes: number

  constructor(maxBytes = MAX_UNPACKED_BYTES) {
    this.#leftBytes = maxBytes
  }

  take(bytes: number): boolean {
    if (bytes > this.#leftBytes) return false
    this.#leftBytes -= bytes
    return true
  }

  giveBack(bytes: number): void {
    this.#leftBytes += bytes
  }
}

/** Decompresses an answer. We ask for uncompressed answers, but some suppliers compress them anyway. */
export function decompress(answer: HttpAnswer, budget: UnpackBudget): HttpAnswer {
  const coding = answer.headers.get('content-encoding')?.toLowerCase() ?? 'identity'
  const format = CODINGS.get(coding)
  if (format === undefined) return answer
  const plain = asResponse(answer).body?.pipeThrough(new DecompressionStream(format)) ?? null
  return plain === null ? answer : new UnpackedAnswer(answer, plain, budget)
}

/** An answer that is decompressed as it is read. It has one reader, which reads the whole text or piece by piece. */
class UnpackedAnswer implements HttpAnswer, AnswerBytes, ByteReader {
  readonly status: number
  readonly ok: boolean
  readonly headers: HeaderFields
  readonly #reader: ByteReader
  readonly #budget: UnpackBudget
  /** Event streams are passed on piece by piece; any other answer is held until it is complete. */
  readonly #isHeld: boolean
  #readBytes = 0
  #takenBytes = 0

  constructor({ status, ok, headers }: HttpAnswer, plain: ReadableStream<Uint8Array>, budget: UnpackBudget) {
    this.status = status
    this.ok = ok
    this.headers = headers
    this.#reader = plain.getReader()
    this.#budget = budget
    this.#isHeld = !/event-?stream/i.test(headers.get('content-type') ?? '')
  }

  get body(): AnswerBytes {
    return this
  }

  getReader(): ByteReader {
    return this
  }

  text(): Promise<string> {
    return asResponse(this).text()
  }

  async read(): Promise<ReadResult> {
    const result = await this.#next()
    if (result.done) this.#giveBack()
    else if (this.#isHeld) await this.#count(result.value.length)
    return result
  }

  async cancel(reason?: unknown): Promise<void> {
    this.#giveBack()
    await this.#reader.cancel(reason)
  }

  async #next(): Promise<ReadResult> {
    try {
      return await this.#reader.read()
    } catch (error) {
      this.#giveBack()
      throw isBadlyPacked(error) ? new MalformedMessage('The reply cannot be decompressed.') : error
    }
  }

  async #count(bytes: number): Promise<void> {
    this.#readBytes += bytes
    const wanted = Math.max(0, this.#readBytes - UNCOUNTED_BYTES) - this.#takenBytes
    if (this.#budget.take(wanted)) {
      this.#takenBytes += wanted
      return
    }
    await this.cancel()
    throw new MalformedMessage('The decompressed reply exceeds the memory available for replies.')
  }

  #giveBack(): void {
    this.#budget.giveBack(this.#takenBytes)
    this.#takenBytes = 0
  }
}

/** Decompression fails with a TypeError; errors of the connection keep their own type. */
function isBadlyPacked(error: unknown): boolean {
  return error instanceof TypeError
}
