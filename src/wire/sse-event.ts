import { tryParseJson } from './json-values.ts'
import type { FramedEvents } from './sse-framer.ts'

const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d
const SPACE = 0x20
const DATA_FIELD = [0x64, 0x61, 0x74, 0x61, 0x3a] as const
const KNOWN_FIELDS: ReadonlySet<string> = new Set(['data', 'event', 'id', 'retry'])
const LINE_END = /\r\n|\n|\r/
const NAMED_EVENT = /^event: ([^\r\n]*)\ndata: ([^\r\n]*)\n\n$/
const decoder = new TextDecoder()

export interface SseEvent {
  /** null when the event has no data line: a comment, a blank line, or bytes that are not an event. */
  readonly data: string | null
  readonly name: string | null
  /** False when no line is a comment or a known field of server-sent events. */
  readonly isRecognised: boolean
}

/** Reads one framed event. */
export function readSseEvent(bytes: Uint8Array): SseEvent {
  const data = readSingleLine(bytes)
  if (data !== null) return { data, name: null, isRecognised: true }
  const text = decoder.decode(bytes)
  return readNamed(text) ?? readLines(text)
}

// Nearly all named events are such a pair of lines.
function readNamed(text: string): SseEvent | null {
  const match = NAMED_EVENT.exec(text)
  return match === null ? null : { name: match[1] ?? '', data: match[2] ?? '', isRecognised: true }
}

// Nearly every event is one `data:` line and a blank line.
function readSingleLine(bytes: Uint8Array): string | null {
  if (DATA_FIELD.some((byte, index) => bytes[index] !== byte)) return null
  const lineEnd = bytes.indexOf(LINE_FEED)
  if (lineEnd === -1 || lineEnd !== bytes.length - 2 || bytes.includes(CARRIAGE_RETURN)) return null
  const start = bytes[DATA_FIELD.length] === SPACE ? DATA_FIELD.length + 1 : DATA_FIELD.length
  return decoder.decode(bytes.subarray(start, lineEnd))
}

function readLines(text: string): SseEvent {
  const data: string[] = []
  let name: string | null = null
  let isRecognised = text.trim() === ''
  for (const line of text.split(LINE_END)) {
    const colon = line.indexOf(':')
    const field = colon === -1 ? line : line.slice(0, colon)
    if (field === 'data') data.push(fieldValue(line, colon))
    if (field === 'event') name = fieldValue(line, colon)
    isRecognised ||= colon === 0 || KNOWN_FIELDS.has(field)
  }
  return { data: data.length === 0 ? null : data.join('\n'), name, isRecognised }
}

function fieldValue(line: string, colon: number): string {
  if (colon === -1) return ''
  return line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1)
}

/** What to do with an event: forward it, remove it, stop the stream, or replace it with these bytes. */
export type Verdict = 'forward' | 'remove' | 'stop' | Uint8Array

/** Decides about the event between two indexes of the bytes. */
export type Weigh = (bytes: Uint8Array, start: number, end: number) => Verdict

/** The events to forward. Usually all of them, and then the same bytes, without a copy. */
export function siftEvents({ bytes, ends }: FramedEvents, weigh: Weigh): Uint8Array | null {
  const kept: Uint8Array[] = []
  let keptFrom = 0
  let start = 0
  for (const end of ends) {
    const verdict = weigh(bytes, start, end)
    if (verdict !== 'forward') {
      if (start > keptFrom) kept.push(bytes.subarray(keptFrom, start))
      if (verdict instanceof Uint8Array) kept.push(verdict)
      keptFrom = verdict === 'stop' ? bytes.length : end
      if (verdict === 'stop') break
    }
    start = end
  }
  if (keptFrom === 0) return bytes
  if (keptFrom < bytes.length) kept.push(bytes.subarray(keptFrom))
  return kept.length === 0 ? null : joinBytes(kept)
}

const BLANK_LINE = new TextEncoder().encode('\n\n')

/** Completes the last event of a stream that ended without a blank line. */
export function closeEvent(rest: Uint8Array): FramedEvents {
  const bytes = joinBytes([rest, BLANK_LINE])
  return { bytes, ends: [bytes.length] }
}

/** The same for an event with JSON data; null when the JSON is cut off. */
export function closeJsonEvent(rest: Uint8Array): FramedEvents | null {
  const { data } = readSseEvent(rest)
  return data === null || tryParseJson(data) === undefined ? null : closeEvent(rest)
}

export function joinBytes(pieces: readonly Uint8Array[]): Uint8Array {
  const [only] = pieces
  return only !== undefined && pieces.length === 1 ? only : new Uint8Array(Buffer.concat(pieces))
}
