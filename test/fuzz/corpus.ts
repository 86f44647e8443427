import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Answer } from '../../src/conversation/answer.ts'
import { fold, unfold } from '../../src/conversation/fold.ts'
import { PROTOCOLS } from '../../src/protocols/index.ts'
import type { ClientRequest, Protocol, RequestAddress } from '../../src/protocols/protocol.ts'
import type { ClientSide } from '../../src/protocols/translation.ts'
import type { Format } from '../../src/vocabulary/supply.ts'
import { closingQuote, endOfValue, skipWhitespace } from '../../src/wire/json-members.ts'
import { replyContext, supplyContext } from '../support/translation-contexts.ts'
import { ADDRESSES, COUNT_ADDRESS, COUNTS, ERRORS, REPLIES, REQUESTS } from './bodies.ts'

/** Where a name or a value stands among the bytes of an entry. */
export interface Place {
  readonly start: number
  readonly end: number
  readonly isName: boolean
}

/** A well-formed document to be damaged. */
export interface Entry {
  readonly bytes: Buffer
  readonly places: readonly Place[]
  /** What the bytes say, when they are one JSON document. */
  readonly value?: unknown
}

export interface Corpus {
  /** The same requests undamaged and read, each at every address. */
  readonly wellFormed: readonly ClientRequest[]
  readonly requests: readonly Entry[]
  readonly addresses: readonly RequestAddress[]
  readonly counts: readonly Entry[]
  readonly countAddress: RequestAddress
  readonly replies: readonly Entry[]
  readonly errors: readonly Entry[]
  readonly streams: readonly Entry[]
}

const TOKEN = /"|[{[]|-?\d[\d.eE+-]*|true|false|null/g

/** Names and values are looked for in bytes, so that a place can be cut out without decoding what is around it. */
function findPlaces(text: string): Place[] {
  const places: Place[] = []
  TOKEN.lastIndex = 0
  for (let match = TOKEN.exec(text); match !== null; match = TOKEN.exec(text)) {
    const start = match.index
    const isString = match[0] === '"'
    const end = isString ? closingQuote(text, start) + 1 : endOfValue(text, start)
    places.push({ start, end, isName: isString && text[skipWhitespace(text, end)] === ':' })
    if (isString) TOKEN.lastIndex = end
  }
  return places
}

function entryOf(text: string): Entry {
  const bytes = Buffer.from(text)
  return { bytes, places: findPlaces(bytes.toString('latin1')) }
}

function jsonEntry(value: unknown): Entry {
  return { ...entryOf(JSON.stringify(value)), value }
}

function readCases(protocol: Protocol, suffix: string): string[] {
  const folder = join(import.meta.dirname, '../../src/protocols', protocol.name, 'cases')
  return readdirSync(folder)
    .filter((name) => name.endsWith(suffix))
    .sort()
    .map((name) => readFileSync(join(folder, name), 'utf8'))
}

function readBodies(protocol: Protocol, suffix: string): unknown[] {
  return readCases(protocol, suffix).map((text) => {
    const value: unknown = JSON.parse(text)
    // Where a format says things in the address, its cases hold the address beside the body.
    return typeof value === 'object' && value !== null && 'rest' in value && 'body' in value
      ? value.body
      : value
  })
}

function decodeStream(protocol: Protocol, text: string): Answer[] {
  const decoder = protocol.supplier.openDecoder(supplyContext({}, protocol.supplier.traits))
  const events = [...decoder.push(Buffer.from(text)), ...decoder.end()]
  return decoder.failure === null ? [fold(events)] : []
}

/** The answers of all golden streams: encoded in each format, they cover every kind of document of that format. */
const answers = PROTOCOLS.flatMap((protocol) =>
  readCases(protocol, '.stream.sse').flatMap((text) => decodeStream(protocol, text)),
)

const PLAIN: RequestAddress = { rest: '', query: new URLSearchParams() }

function bodiesFor(bodies: Readonly<Partial<Record<Format, readonly unknown[]>>>, { name }: Protocol) {
  return bodies[name] ?? []
}

export function corpusOf(protocol: Protocol): Corpus {
  const addresses = ADDRESSES[protocol.name] ?? [PLAIN]
  const requests = [...bodiesFor(REQUESTS, protocol), ...readBodies(protocol, '.request.json')]
  const wellFormed = addresses.flatMap((address) =>
    requests.map((body) => protocol.readRequest(body, JSON.stringify(body), address)),
  )
  const encoded = wellFormed
    .slice(0, 1)
    .flatMap(({ client }) => answers.map((answer) => tellAnswer(client, answer)))
  const files = [...readCases(protocol, '.stream.sse'), ...readCases(protocol, '.stream.json')]
  const replies = [...bodiesFor(REPLIES, protocol), ...readBodies(protocol, '.reply.json')]
  const counts = [...bodiesFor(COUNTS, protocol), ...readBodies(protocol, '.count.json')]
  return {
    wellFormed,
    addresses,
    countAddress: COUNT_ADDRESS,
    requests: requests.map(jsonEntry),
    counts: [...counts, ...requests].map(jsonEntry),
    replies: [...replies, ...encoded.map(({ reply }) => reply)].map(jsonEntry),
    errors: bodiesFor(ERRORS, protocol).map(jsonEntry),
    streams: [...files, ...encoded.map(({ stream }) => stream)].map(entryOf),
  }
}

function tellAnswer(client: ClientSide, answer: Answer): { reply: unknown; stream: string } {
  const encoder = client.openEncoder(replyContext())
  const frames = unfold(answer).map((event) => encoder.push(event))
  return { reply: client.encodeReply(answer, replyContext()), stream: frames.join('') }
}
