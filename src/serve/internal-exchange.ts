import type { KeyHolder } from '../rules/access/api-keys.ts'
import type { HeaderFields } from '../wire/http-answer.ts'
import type { BodySink, Exchange, Reply } from './ports/exchange.ts'
import type { RequestFindings } from './ports/log.ts'
import type { RequestTrace } from './ports/request-trace.ts'
import type { UploadedForm } from './ports/uploads.ts'

export interface InternalRequest {
  readonly requestId: string
  readonly path: string
  readonly headers: HeaderFields
  readonly address: string | null
  /** The JSON body. */
  readonly text: string
}

/**
 * A request that does not come as an HTTP request of its own, such as a frame of a WebSocket or a response in the
 * background. It has the headers of the request it belongs to, and is served as any other.
 */
export class InternalExchange implements Exchange {
  readonly requestId: string
  readonly method = 'POST'
  readonly path: string
  readonly query = new URLSearchParams()
  readonly params = {}
  readonly headers: HeaderFields
  readonly address: string | null
  readonly bodyLength: number
  readonly bodyBytes: number
  keyHolder?: KeyHolder | undefined
  refusedModel?: string
  hasSettlement?: boolean
  bodyOwner?: string
  modelId?: string
  settlement?: NonNullable<RequestFindings['settlement']>
  error?: NonNullable<RequestFindings['error']>
  trace?: RequestTrace
  readonly #text: string
  readonly #listeners = new Set<() => void>()
  #hasLeft = false

  constructor({ requestId, path, headers, address, text }: InternalRequest) {
    this.requestId = requestId
    this.path = path
    this.headers = headers
    this.address = address
    this.bodyLength = text.length
    this.bodyBytes = text.length
    this.#text = text
  }

  readText(): string {
    return this.#text
  }

  readForm(): Promise<UploadedForm> {
    throw new Error('an internal request has no form')
  }

  onLeave(listener: () => void): () => void {
    if (this.#hasLeft) {
      listener()
      return () => {}
    }
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** Whoever asked no longer wants the answer. */
  leave(): void {
    this.#hasLeft = true
    for (const listener of [...this.#listeners]) listener()
    this.#listeners.clear()
  }
}

/** What was learned about a request, for its log line. */
export function findingsOf(exchange: Exchange): RequestFindings {
  const { keyHolder, modelId, settlement, error, trace } = exchange
  return {
    ...(keyHolder !== undefined && { keyHolder }),
    ...(modelId !== undefined && { modelId }),
    ...(settlement !== undefined && { settlement }),
    ...(error !== undefined && { error }),
    ...(trace !== undefined && { trace }),
  }
}

/** Takes the body of a reply piece by piece, however it is made. Resolves to false when it broke off. */
export async function takeBody({ body }: Reply, take: (bytes: Uint8Array) => void): Promise<boolean> {
  if (typeof body === 'string') take(Buffer.from(body))
  else if (body instanceof ReadableStream) for await (const bytes of body) take(bytes)
  else return new Promise((resolve) => body.pushTo(new TakingSink(take, resolve)))
  return true
}

class TakingSink implements BodySink {
  readonly isBehind = false
  readonly behindBytes = 0
  readonly #take: (bytes: Uint8Array) => void
  readonly #finish: (isWhole: boolean) => void

  constructor(take: (bytes: Uint8Array) => void, finish: (isWhole: boolean) => void) {
    this.#take = take
    this.#finish = finish
  }

  send(bytes: Uint8Array): void {
    // The sender uses its buffers again.
    this.#take(Buffer.from(bytes))
  }

  caughtUp(): Promise<void> {
    return Promise.resolve()
  }

  end(): void {
    this.#finish(true)
  }

  breakOff(): void {
    this.#finish(false)
  }
}
