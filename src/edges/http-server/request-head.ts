import { GatewayError } from '../../errors/gateway-error.ts'
import { asGatewayError } from '../../errors/render-error.ts'
import { type BodyFraming, ChunkedFraming, LengthFraming } from '../../wire/body-framing.ts'
import { endOfText, HeadFields, MalformedMessage, markBytes } from '../../wire/head-fields.ts'
import { LARGE_BYTES } from './growing-bytes.ts'

/** The request line and the headers. */
export interface RequestHead {
  readonly method: string
  /** Without the query, as it was sent. */
  readonly path: string
  /** Without the question mark. */
  readonly query: string
  readonly fields: HeadFields
  /** Whether the client wants to keep the connection open. */
  readonly staysOpen: boolean
  /** Whether the client supports chunked transfer encoding. */
  readonly takesChunks: boolean
  /** Whether the client asks for a WebSocket. Offers of other protocols are ignored, as HTTP allows. */
  readonly wantsWebSocket: boolean
}

const METHOD = /^[\w!#$%&'*+.^`|~-]{1,64}$/
const TARGET = /^[\x21-\x7e\x80-\xff]+$/
const VERSION = /^HTTP\/1\.[01]$/
const ABSOLUTE = /^https?:\/\/[^/?#]*/i
const IS_HOST_BYTE = markBytes(".~%!$&'()*+;=:[]-")
// One of several options, separated by commas.
const CLOSE = /(?:^|,)\s*close\s*(?:,|$)/i
const KEEP_ALIVE = /(?:^|,)\s*keep-alive\s*(?:,|$)/i
const UPGRADE = /(?:^|,)\s*upgrade\s*(?:,|$)/i
const WEB_SOCKET = /(?:^|,)\s*websocket\s*(?:,|$)/i
const SLASH = 0x2f
const CARRIAGE_RETURN = 0x0d
const LINE_FEED = 0x0a

/** Reads the head that ends where the empty line begins. Throws when it is malformed. */
export function readRequestHead(bytes: Buffer, end: number): RequestHead {
  const lineEnd = endOfText(bytes, 0, end)
  const fields = new HeadFields(withoutBody(bytes, end), lineEnd, end)
  const line = bytes.toString('latin1', 0, lineEnd)
  const { method, path, query, isHttp11 } = knownLines.get(line) ?? readFirstLine(line)
  const isHost = fields.consistsOf('host', IS_HOST_BYTE) ?? !isHttp11
  if (!isHost) throw malformed('The request must name one host.')
  const connection = fields.get('connection') ?? ''
  const staysOpen = isHttp11 ? !CLOSE.test(connection) : KEEP_ALIVE.test(connection)
  // Most clients send nothing else, so that no other request pays for the search.
  const wantsWebSocket =
    isHttp11 && method === 'GET' && connection !== '' && connection !== 'keep-alive'
      ? UPGRADE.test(connection) && WEB_SOCKET.test(fields.get('upgrade') ?? '')
      : false
  return { method, path, query, fields, staysOpen, takesChunks: isHttp11, wantsWebSocket }
}

/** Headers are read until the answer has been sent, and must not keep the memory of a large body until then. */
function withoutBody(bytes: Buffer, end: number): Buffer {
  return bytes.length >= LARGE_BYTES ? Buffer.from(bytes.subarray(0, end)) : bytes
}

interface FirstLine {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly isHttp11: boolean
}

// Nearly all requests have one of a few request lines.
const knownLines = new Map<string, FirstLine>()
const MAX_KNOWN_LINES = 200
const MAX_KNOWN_LINE_LENGTH = 200

function readFirstLine(text: string): FirstLine {
  const line = parseFirstLine(text)
  // A query may hold a secret, which must not be cached.
  const isCacheable = line.query === '' && text.length <= MAX_KNOWN_LINE_LENGTH
  if (isCacheable && knownLines.size < MAX_KNOWN_LINES) knownLines.set(text, line)
  return line
}

function parseFirstLine(text: string): FirstLine {
  const [method = '', target = '', version = '', ...more] = text.split(' ')
  if (!METHOD.test(method) || !TARGET.test(target) || !VERSION.test(version) || more.length > 0) {
    throw malformed('The request line is malformed.')
  }
  const address = readTarget(method, target)
  const mark = address.indexOf('?')
  return {
    method,
    path: mark < 0 ? address : address.slice(0, mark),
    query: mark < 0 ? '' : address.slice(mark + 1),
    isHttp11: version === 'HTTP/1.1',
  }
}

/** A proxy may send an absolute URL; every host in it is taken for this server. */
function readTarget(method: string, target: string): string {
  if (target.charCodeAt(0) === SLASH || (target === '*' && method === 'OPTIONS')) return target
  if (!ABSOLUTE.test(target)) throw malformed('The address in the request is malformed.')
  const path = target.replace(ABSOLUTE, '')
  return path.charCodeAt(0) === SLASH ? path : `/${path}`
}

/** HTTP/1.0 clients would take `100 Continue` for the answer. */
export function expectsContinue({ fields, takesChunks }: RequestHead): boolean {
  return takesChunks && fields.get('expect')?.toLowerCase() === '100-continue'
}

/** The length of the body, or that it is chunked. Throws when another server could read the length differently. */
export function bodyLengthOf({ fields, takesChunks }: RequestHead): number | 'chunked' {
  const coding = fields.get('transfer-encoding')
  const length = fields.digits('content-length')
  if (coding !== null) {
    if (length !== null) throw malformed('The body has both a length and a transfer encoding.')
    if (coding.toLowerCase() !== 'chunked' || !takesChunks)
      throw malformed('The transfer encoding is not supported.')
    return 'chunked'
  }
  if (length === null) return 0
  if (Number.isNaN(length)) throw malformed('The content length is malformed.')
  return length
}

export function framingOf(length: number | 'chunked'): BodyFraming {
  return length === 'chunked' ? new ChunkedFraming() : new LengthFraming(length)
}

/** How many bytes of empty lines come before a request. */
export function leadingBlankBytes(bytes: Buffer): number {
  let at = 0
  while (bytes[at] === CARRIAGE_RETURN && bytes[at + 1] === LINE_FEED) at += 2
  return at
}

/** Whatever was thrown while a request was read, as its answer. */
export function refusalFor(thrown: unknown): GatewayError {
  return thrown instanceof MalformedMessage ? malformed(thrown.message) : asGatewayError(thrown)
}

/** Closes the connection, since the bytes that follow cannot be trusted. */
export function malformed(message: string): GatewayError {
  return new GatewayError('invalid_request', message, { headers: { connection: 'close' } })
}

export function tooLargeHead(maxBytes: number): GatewayError {
  const message = `The head of the request is larger than ${maxBytes} bytes.`
  return new GatewayError('request_too_large', message, { headers: { connection: 'close' } })
}
