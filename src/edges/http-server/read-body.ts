import { GatewayError } from '../../errors/gateway-error.ts'
import type { HeaderFields } from '../../wire/http-answer.ts'
import type { HeldBody } from './body-budget.ts'
import { GatheringReader, type IncomingBody } from './incoming-body.ts'

export interface BodyLimits {
  readonly maxBytes: number
  readonly timeoutMs: number
}

export function narrowed(limits: BodyLimits, maxBytes: number): BodyLimits {
  return maxBytes < limits.maxBytes ? { ...limits, maxBytes } : limits
}

// The rest of a body that never came must not be read as a new request.
const CLOSE = { connection: 'close' } as const

const decoder = new TextDecoder('utf-8', { fatal: true })

/** Why a body is not read at all; null when it is. */
export function refusalOf(
  headers: HeaderFields,
  length: number | 'chunked',
  limits: BodyLimits,
): GatewayError | null {
  const contentType = headers.get('content-type')
  if (!isJson(contentType)) return otherMediaType(contentType)
  return length !== 'chunked' && length > limits.maxBytes ? tooLarge(limits) : null
}

export function decodeBody(bytes: Uint8Array, headers: HeaderFields): string {
  try {
    return decoder.decode(bytes)
  } catch {
    throw unreadable(headers)
  }
}

/** Reads a body that is still coming in. Whoever looks after the request also looks whether its time is up. */
export class BodyReading {
  readonly #limits: BodyLimits
  readonly #gathering: GatheringReader
  readonly #dueAtMs: number

  constructor(body: IncomingBody, limits: BodyLimits, held: HeldBody) {
    this.#limits = limits
    this.#dueAtMs = performance.now() + limits.timeoutMs
    this.#gathering = new GatheringReader((bytes) => {
      if (held.bytes + bytes > limits.maxBytes) throw tooLarge(limits)
      held.add(bytes)
    })
    body.readBy(this.#gathering)
  }

  /** Rejects with a refusal that says what is wrong with the body. */
  get bytes(): Promise<Uint8Array> {
    return this.#gathering.whole
  }

  /** Gives up on a body that has not come in time. */
  look(): void {
    if (performance.now() >= this.#dueAtMs) this.#gathering.fail(tooSlow(this.#limits))
  }
}

function isJson(contentType: string | null): boolean {
  if (contentType === null || contentType === 'application/json') return true
  return /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(contentType)
}

function otherMediaType(contentType: string | null): GatewayError {
  const got = JSON.stringify(contentType?.slice(0, 100))
  return new GatewayError('unsupported_media_type', `The content type is ${got}; send application/json.`)
}

export function cutShort(): GatewayError {
  return new GatewayError('invalid_request', 'The body ended before it was complete.', { headers: CLOSE })
}

function unreadable(headers: HeaderFields): GatewayError {
  const encoding = headers.get('content-encoding')
  if (encoding === null) return new GatewayError('invalid_request', 'The body is not valid UTF-8.')
  const got = JSON.stringify(encoding.slice(0, 100))
  return new GatewayError('unsupported_media_type', `The content encoding is ${got}; send the body plain.`)
}

/**
 * The connection stays open: the server reads the rest of the body and throws it away, keeping none of it in memory.
 * Closing instead would fail a client that is still sending before it has read this answer.
 */
function tooLarge({ maxBytes }: BodyLimits): GatewayError {
  return new GatewayError('request_too_large', `The body is larger than ${maxBytes} bytes.`)
}

function tooSlow({ timeoutMs }: BodyLimits): GatewayError {
  const message = `The body did not arrive within ${timeoutMs / 1000} seconds.`
  return new GatewayError('invalid_request', message, { headers: CLOSE })
}
