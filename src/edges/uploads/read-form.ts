import type { GatewayError } from '../../errors/gateway-error.ts'
import type { IncomingForm, ReadForm } from '../../serve/ports/uploads.ts'
import type { HeaderFields } from '../../wire/http-answer.ts'
import { FormDraft } from './form-draft.ts'
import { refusals } from './refusals.ts'
import { splitParts } from './split-parts.ts'
import type { UploadFolder } from './upload-folder.ts'

export interface FormReaderOptions {
  readonly folder: UploadFolder
  /** The maximum size of a form. */
  readonly maxBytes: number
  /** How long a client may take to send a form. */
  readonly timeoutMs: number
}

export function createFormReader(options: FormReaderOptions): ReadForm {
  return async (incoming, rules) => {
    const boundary = checkHeaders(incoming.headers, options)
    const draft = new FormDraft(options.folder, rules, (bytes) => incoming.hold?.(bytes))
    const arrival = new Arrival(incoming, options)
    try {
      await splitParts(arrival.chunks(), boundary, (part) => draft.take(part))
      return draft.complete()
    } catch (error) {
      await draft.discard()
      throw error
    } finally {
      arrival.end()
    }
  }
}

/** Returns the boundary. Throws what can be refused before the body is read. */
function checkHeaders(headers: HeaderFields, { maxBytes }: FormReaderOptions): string {
  const contentType = headers.get('content-type')
  if (contentType === null || !/^multipart\/form-data\s*(?:;|$)/i.test(contentType))
    throw refusals.mediaType(contentType)
  const encoding = headers.get('content-encoding')
  if (encoding !== null && encoding.toLowerCase() !== 'identity') throw refusals.encoding(encoding)
  const boundary = BOUNDARY.exec(contentType)
  if (boundary === null) throw refusals.noBoundary()
  if (Number(headers.get('content-length') ?? 0) > maxBytes) throw refusals.tooLarge(maxBytes)
  return boundary[1] ?? boundary[2] ?? ''
}

const BOUNDARY = /;\s*boundary=(?:"([^"\r\n]{1,70})"|([^\s;",]{1,70}))\s*(?:;|$)/i

/** The bytes of a form as they arrive. Fails when they are too many, too slow, or the client disconnects. */
class Arrival {
  readonly #reader
  readonly #maxBytes: number
  readonly #stopListening: () => void
  readonly #release: ((chunk: Uint8Array) => void) | null
  readonly #timer: Timer
  #refusal: GatewayError | null = null

  constructor(incoming: IncomingForm, { maxBytes, timeoutMs }: FormReaderOptions) {
    this.#maxBytes = maxBytes
    this.#release = incoming.release ?? null
    this.#reader = incoming.body?.getReader() ?? null
    this.#timer = setTimeout(() => this.#giveUp(refusals.tooSlow(timeoutMs)), timeoutMs)
    this.#stopListening = incoming.onLeave(() => this.#giveUp(refusals.cutOff(undefined)))
  }

  async *chunks(): AsyncGenerator<Uint8Array> {
    let bytes = 0
    for (;;) {
      const chunk = await this.#next()
      if (this.#refusal !== null) throw this.#refusal
      if (chunk === null) return
      bytes += chunk.length
      if (bytes > this.#maxBytes) throw refusals.tooLarge(this.#maxBytes)
      yield chunk
      // The next chunk is asked for when all parts of this one have been processed.
      this.#release?.(chunk)
    }
  }

  /** Stops reading. The server discards the rest of the body. */
  end(): void {
    clearTimeout(this.#timer)
    this.#stopListening()
    this.#reader?.cancel().catch(() => undefined)
  }

  // Cancelling ends a pending read. Racing each read against one promise would keep every chunk in memory.
  #giveUp(refusal: GatewayError): void {
    this.#refusal ??= refusal
    this.#reader?.cancel().catch(() => undefined)
  }

  async #next(): Promise<Uint8Array | null> {
    try {
      const read = await this.#reader?.read()
      return read?.value ?? null
    } catch (error) {
      throw this.#refusal ?? refusals.cutOff(error)
    }
  }
}
