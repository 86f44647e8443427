import { STATUS_CODES } from 'node:http'
import type { Exchange, Reply } from '../../serve/ports/exchange.ts'
import { FIELD_NAME, NOT_PLAIN } from '../../wire/head-fields.ts'

/** A header of an answer cannot be sent. */
export class UnsendableField extends Error {
  override readonly name = 'UnsendableField'
}

export type AnswerFields = Readonly<Record<string, string>> | Headers

const LINE_BREAK = /[\r\n\0]/
const FOREIGN = /[^\t\x20-\x7e]+/g

// Headers that only the server itself sets.
const OURS = new Set([
  'connection',
  'content-length',
  'transfer-encoding',
  'date',
  'keep-alive',
  'x-request-id',
  'request-id',
  'access-control-allow-origin',
  'access-control-expose-headers',
])

const statusLines = new Map<number, string>()

export function statusLine(status: number): string {
  const known = statusLines.get(status)
  if (known !== undefined) return known
  const line = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Unknown'}\r\n`
  statusLines.set(status, line)
  return line
}

/** The header lines of an answer, without the headers that the server sets itself. */
export function fieldLines(fields: AnswerFields): string {
  let lines = ''
  if (fields instanceof Headers) {
    // Headers visits each set-cookie separately, and joins all other repeated headers.
    fields.forEach((value, name) => {
      lines += fieldLine(name, value)
    })
    return lines
  }
  for (const name in fields) lines += fieldLine(name, fields[name] ?? '')
  return lines
}

/** The last line written for a header. Most headers have the same value in answer after answer. */
interface KnownLine {
  value: string
  line: string
}

const knownLines = new Map<string, KnownLine>()
// More than there are header names in use.
const MAX_KNOWN_LINES = 200

function fieldLine(name: string, value: string): string {
  const known = knownLines.get(name)
  if (known === undefined) return firstLine(name, value)
  if (known.value !== value) {
    known.line = lineOf(name, value)
    known.value = value
  }
  return known.line
}

function firstLine(name: string, value: string): string {
  if (!FIELD_NAME.test(name)) throw new UnsendableField(`${JSON.stringify(name)} is not a valid header name.`)
  const line = lineOf(name, value)
  // Cookies are secrets of one client.
  const isKept = name !== 'set-cookie' && knownLines.size < MAX_KNOWN_LINES
  if (isKept) knownLines.set(name, { value, line })
  return line
}

function lineOf(name: string, value: string): string {
  if (OURS.has(name)) return ''
  return `${name}: ${NOT_PLAIN.test(value) ? madePlain(name, value) : value}\r\n`
}

/** Percent-encodes everything beyond ASCII, which clients would decode in different ways. */
function madePlain(name: string, value: string): string {
  if (LINE_BREAK.test(value))
    throw new UnsendableField(`The value of the header ${name} contains a line break.`)
  return value.replace(FOREIGN, (letters) => encodeURIComponent(letters.toWellFormed()))
}

export function fieldOf(fields: AnswerFields, name: string): string | null {
  return fields instanceof Headers ? fields.get(name) : (fields[name] ?? null)
}

type RequestWithHeaders = Pick<Exchange, 'headers'>

const EXPOSED = [
  'x-request-id',
  'request-id',
  'retry-after',
  'x-ratelimit-limit-requests',
  'x-ratelimit-remaining-requests',
  'x-ratelimit-reset-requests',
  'x-ratelimit-limit-tokens',
  'x-ratelimit-remaining-tokens',
  'x-ratelimit-reset-tokens',
  'x-gateway-route',
  'x-gateway-attempts',
  'x-gateway-dropped-params',
  'x-should-retry',
].join(', ')

const LINES = `access-control-allow-origin: *\r\naccess-control-expose-headers: ${EXPOSED}\r\n`

const PREFLIGHT_SECONDS = 86_400

/**
 * Lets pages of any origin read the response. With this header, browsers hide responses to requests that carry cookies,
 * so no session leaks.
 */
export function linesForBrowsers(request: RequestWithHeaders): string {
  return request.headers.has('origin') ? LINES : ''
}

export function answerPreflight(request: RequestWithHeaders, methods: readonly string[]): Reply {
  return {
    status: 204,
    headers: {
      allow: methods.join(', '),
      'access-control-allow-origin': '*',
      'access-control-allow-methods': methods.join(', '),
      'access-control-allow-headers': request.headers.get('access-control-request-headers') ?? '*',
      'access-control-max-age': String(PREFLIGHT_SECONDS),
    },
    body: '',
  }
}
