import type { GatewayError } from '../../../errors/gateway-error.ts'
import type { StreamShape } from '../address.ts'

/** How chunks are framed. */
export interface StreamFrames {
  chunk(value: object): string
  /** The text after the last chunk. */
  close(): string
}

export function framesOf(shape: StreamShape): StreamFrames {
  return shape === 'sse' ? SSE_FRAMES : new ListFrames()
}

// Clients of this format fail on event names, comments and an end marker, so only data is sent.
const SSE_FRAMES: StreamFrames = {
  chunk: (value) => `data: ${JSON.stringify(value)}\n\n`,
  close: () => '',
}

/** One JSON array, sent element by element. */
class ListFrames implements StreamFrames {
  #isOpen = false

  chunk(value: object): string {
    const before = this.#isOpen ? ',\r\n' : '['
    this.#isOpen = true
    return `${before}${JSON.stringify(value)}`
  }

  close(): string {
    return this.#isOpen ? '\r\n]' : '[]'
  }
}

/** The status names that official clients know. */
const STATUS_WORDS: ReadonlyMap<number, string> = new Map([
  [400, 'INVALID_ARGUMENT'],
  [401, 'UNAUTHENTICATED'],
  [403, 'PERMISSION_DENIED'],
  [404, 'NOT_FOUND'],
  [429, 'RESOURCE_EXHAUSTED'],
  [500, 'INTERNAL'],
  [502, 'UNAVAILABLE'],
  [503, 'UNAVAILABLE'],
  [504, 'DEADLINE_EXCEEDED'],
])

/**
 * An error inside a stream. `code` is the HTTP status, and `type` the gateway's error code: clients recognize an error
 * only by a numeric code, and only when `error` is the first member.
 */
export function streamError(error: GatewayError): object {
  const reason = error.code
  return {
    error: {
      code: error.status,
      message: error.message,
      status: STATUS_WORDS.get(error.status) ?? 'UNKNOWN',
      type: reason,
      details: [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason, domain: 'gateway' }],
    },
  }
}

export function encodeStreamError(error: GatewayError): string {
  return `data: ${JSON.stringify(streamError(error))}\n\n`
}
