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

// A few whole replies of the largest kind, whoever sends them.
const MAX_UNPACKED_BYTES = 192 * 1024 * 1024
// So much of each answer is not counted: ordinary ones are never in want because others are huge.
const UNCOUNTED_BYTES = 256 * 1024

/**
 * How many unpacked bytes may be in memory at a time, all calls together. A packed kilobyte can be a megabyte, so what
 * a supplier has to send says nothing about what we have to hold.
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

/** We ask for answers as they are; whoever compresses them nevertheless is understood all the same. */
export function decompress(answer: HttpAnswer, budget: UnpackBudget): HttpAnswer {
  const coding = answer.headers.get('content-encoding')?.toLowerCase() ?? 'identity'
  const format = CODINGS.get(coding)
  if (format === undefined) return answer
  const plain = asResponse(answer).body?.pipeThrough(new DecompressionStream(format)) ?? null
  return plain === null ? answer : new UnpackedAnswer(answer, plain, budget)
}

/** An answer that is unpacked as it is read. There is one reader, who reads either the text or piece by piece. */
class UnpackedAnswer implements HttpAnswer, AnswerBytes, ByteReader {
  readonly status: number
  readonly ok: boolean
  readonly headers: HeaderFields
  readonly #reader: ByteReader
  readonly #budget: UnpackBudget
  /** Events go on to the client one by one; anything else is held until all of it is there. */
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
      throw isBadlyPacked(error) ? new MalformedMessage('The reply cannot be unpacked.') : error
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
    throw new MalformedMessage('The reply unpacks to more bytes than there is room for.')
  }

  #giveBack(): void {
    this.#budget.giveBack(this.#takenBytes)
    this.#takenBytes = 0
  }
}

/** An unpacker's own errors are of this kind; what went wrong on the way to it passes through as it is. */
function isBadlyPacked(error: unknown): boolean {
  return error instanceof TypeError
}
