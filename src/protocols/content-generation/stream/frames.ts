import type { GatewayError } from '../../../errors/gateway-error.ts'
import type { StreamShape } from '../address.ts'

/** How chunks are written one after another. */
export interface StreamFrames {
  chunk(value: object): string
  /** What follows the last chunk. */
  close(): string
}

export function framesOf(shape: StreamShape): StreamFrames {
  return shape === 'sse' ? SSE_FRAMES : new ListFrames()
}

// Clients of this format stumble over event names, comments and a last marker, so there is nothing but data.
const SSE_FRAMES: StreamFrames = {
  chunk: (value) => `data: ${JSON.stringify(value)}\n\n`,
  close: () => '',
}

/** One list that grows while it is read. */
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

/** The words the official clients know for each status. */
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
 * An error as it stands inside a stream. Its `code` is the number of the status and not our word, which stands in
 * `type`: clients take an event for an error only when the number is there and `error` is its first member.
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
