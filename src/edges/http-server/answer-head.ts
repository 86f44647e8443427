import { STATUS_CODES } from 'node:http'
import type { Exchange, Reply } from '../../serve/ports/exchange.ts'
import { FIELD_NAME, NOT_PLAIN } from '../../wire/head-fields.ts'

/** An answer with a field that cannot be sent. */
export class UnsendableField extends Error {
  override readonly name = 'UnsendableField'
}

export type AnswerFields = Readonly<Record<string, string>> | Headers

const LINE_BREAK = /[\r\n\0]/
const FOREIGN = /[^\t\x20-\x7e]+/g

// What the server says itself.
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

/** The lines of an answer's fields, without those the server says itself. */
export function fieldLines(fields: AnswerFields): string {
  let lines = ''
  if (fields instanceof Headers) {
    // Cookies come one by one, everything else joined.
    fields.forEach((value, name) => {
      lines += fieldLine(name, value)
    })
    return lines
  }
  for (const name in fields) lines += fieldLine(name, fields[name] ?? '')
  return lines
}

/** The line that was last written for a name. Most fields have the same value in answer after answer. */
interface KnownLine {
  value: string
  line: string
}

const knownLines = new Map<string, KnownLine>()
// More than all the names there are.
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
  if (!FIELD_NAME.test(name)) throw new UnsendableField(`${JSON.stringify(name)} is no name of a field.`)
  const line = lineOf(name, value)
  // What is one client's secret is not kept.
  const isKept = name !== 'set-cookie' && knownLines.size < MAX_KNOWN_LINES
  if (isKept) knownLines.set(name, { value, line })
  return line
}

function lineOf(name: string, value: string): string {
  if (OURS.has(name)) return ''
  return `${name}: ${NOT_PLAIN.test(value) ? madePlain(name, value) : value}\r\n`
}

/** Readers disagree on what letters beyond ASCII mean here, so they are written as in an address. */
function madePlain(name: string, value: string): string {
  if (LINE_BREAK.test(value)) throw new UnsendableField(`The value of ${name} has a line break.`)
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
 * Lets a page of any origin read the response. Browsers refuse such an answer to whoever sent cookies along, so no
 * session is given away.
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
