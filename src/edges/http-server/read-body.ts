import { GatewayError } from '../../errors/gateway-error.ts'

export interface BodyLimits {
  readonly maxBytes: number
  readonly timeoutMs: number
}

// The rest of a body that never came must not be read as a new request.
const CLOSE = { connection: 'close' } as const

/** The whole body as text, or a refusal that says what is wrong with it. */
export async function readBodyText(request: Request, limits: BodyLimits): Promise<string> {
  refuseOtherMediaTypes(request.headers.get('content-type'))
  const declared = Number(request.headers.get('content-length') ?? Number.NaN)
  if (declared > limits.maxBytes) throw tooLarge(limits)
  const isCounted = Number.isFinite(declared)
  const bytes = await inTime(isCounted ? request.bytes() : readCounting(request, limits), limits)
  return decode(bytes, request.headers)
}

function refuseOtherMediaTypes(contentType: string | null): void {
  if (contentType === null || contentType === 'application/json') return
  if (/^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(contentType)) return
  const got = JSON.stringify(contentType.slice(0, 100))
  throw new GatewayError('unsupported_media_type', `The content type is ${got}; send application/json.`)
}

/** A chunked body does not say how long it is, so it is counted while it comes. */
async function readCounting(request: Request, limits: BodyLimits): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of request.body ?? []) {
    size += chunk.length
    if (size > limits.maxBytes) throw tooLarge(limits)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function inTime(reading: Promise<Uint8Array>, limits: BodyLimits): Promise<Uint8Array> {
  // A body that came together with its head needs no watching, and most do.
  return Bun.peek.status(reading) === 'fulfilled' ? reading : watched(reading, limits)
}

async function watched(reading: Promise<Uint8Array>, limits: BodyLimits): Promise<Uint8Array> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(tooSlow(limits)), limits.timeoutMs)
  try {
    return await Promise.race([reading, late.promise])
  } catch (error) {
    if (error instanceof GatewayError) throw error
    throw new GatewayError('invalid_request', 'The body ended before it was complete.', {
      headers: CLOSE,
      cause: error,
    })
  } finally {
    clearTimeout(timer)
  }
}

const decoder = new TextDecoder('utf-8', { fatal: true })

function decode(bytes: Uint8Array, headers: Headers): string {
  try {
    return decoder.decode(bytes)
  } catch {
    const encoding = headers.get('content-encoding')
    if (encoding === null) throw new GatewayError('invalid_request', 'The body is not valid UTF-8.')
    const got = JSON.stringify(encoding.slice(0, 100))
    throw new GatewayError('unsupported_media_type', `The content encoding is ${got}; send the body plain.`)
  }
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
