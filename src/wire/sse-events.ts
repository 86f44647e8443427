import { tryParseJson } from './json-values.ts'

const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d
const MIN_BUFFER_BYTES = 4096
/** A larger buffer is released after its event, so that one huge event does not stay in memory. */
const MAX_KEPT_BUFFER_BYTES = 256 * 1024
/** Larger than any image in a single event. */
export const MAX_EVENT_BYTES = 64 * 1024 * 1024

/** An endless event would fill the memory. */
export class EventTooLong extends Error {
  override readonly name = 'EventTooLong'
  constructor() {
    super(`An event of the stream is longer than ${MAX_EVENT_BYTES} bytes.`)
  }
}

/** Whole events, back to back: event `i` spans from `ends[i - 1]` (0 for the first) to `ends[i]`. */
export interface FramedEvents {
  readonly bytes: Uint8Array
  /** Never empty; the last one is `bytes.length`. */
  readonly ends: readonly number[]
}

/**
 * Finds complete server-sent events in chunks of any size, without decoding them.
 *
 * An event is everything up to and including a blank line, so comments and stray blank lines are events too
 * and nothing is lost. Lines may end in LF, CRLF or CR. A CR at the end of a chunk is undecided until the next byte
 * arrives, since a LF after it belongs to the same line end.
 *
 * A chunk of complete events is returned as it is, without a copy. Throws EventTooLong.
 */
export class SseFramer {
  #buffer = new Uint8Array(0)
  #length = 0
  /** The buffer has been searched for line ends up to here. */
  #searchedTo = 0
  #lineStart = 0

  /** Bytes of an unfinished event. */
  get pendingLength(): number {
    return this.#length
  }

  /** The events that this chunk completes; null when none. */
  push(chunk: Uint8Array): FramedEvents | null {
    if (this.#length > 0) return this.#pushBuffered(chunk)
    const ends = this.#search(chunk)
    const wholeLength = ends.at(-1) ?? 0
    if (wholeLength < chunk.length) {
      this.#append(chunk.subarray(wholeLength))
      this.#rebase(wholeLength)
      return wholeLength === 0 ? null : { bytes: chunk.subarray(0, wholeLength), ends }
    }
    this.#searchedTo = 0
    this.#lineStart = 0
    return wholeLength === 0 ? null : { bytes: chunk, ends }
  }

  /** The bytes after the last complete event; null when there are none. */
  finish(): Uint8Array | null {
    if (this.#length === 0) return null
    const rest = this.#buffer.slice(0, this.#length)
    this.#drop(this.#length)
    return rest
  }

  #pushBuffered(chunk: Uint8Array): FramedEvents | null {
    this.#append(chunk)
    const ends = this.#search(this.#buffer.subarray(0, this.#length))
    const wholeLength = ends.at(-1)
    if (wholeLength === undefined) return null
    const bytes = this.#buffer.slice(0, wholeLength)
    this.#drop(wholeLength)
    return { bytes, ends }
  }

  /** The end of every event in `bytes`, going on from where the last search stopped. */
  #search(bytes: Uint8Array): number[] {
    const ends: number[] = []
    let lineFeed = indexOrEnd(bytes, LINE_FEED, this.#searchedTo)
    let carriageReturn = indexOrEnd(bytes, CARRIAGE_RETURN, this.#searchedTo)
    for (;;) {
      const lineEnd = Math.min(lineFeed, carriageReturn)
      const isUndecided = lineEnd === carriageReturn && lineEnd + 1 >= bytes.length
      if (lineEnd === bytes.length || isUndecided) {
        this.#searchedTo = lineEnd
        return ends
      }
      const next = lineEnd === carriageReturn && bytes[lineEnd + 1] === LINE_FEED ? lineEnd + 2 : lineEnd + 1
      if (lineEnd === this.#lineStart) ends.push(next)
      this.#lineStart = next
      if (lineFeed < next) lineFeed = indexOrEnd(bytes, LINE_FEED, next)
      if (carriageReturn < next) carriageReturn = indexOrEnd(bytes, CARRIAGE_RETURN, next)
    }
  }

  #append(bytes: Uint8Array): void {
    const needed = this.#length + bytes.length
    if (needed > MAX_EVENT_BYTES) throw new EventTooLong()
    if (needed > this.#buffer.length) {
      // Doubling keeps a huge event that arrives in small pieces linear.
      const grown = new Uint8Array(Math.max(needed, this.#buffer.length * 2, MIN_BUFFER_BYTES))
      grown.set(this.#buffer.subarray(0, this.#length))
      this.#buffer = grown
    }
    this.#buffer.set(bytes, this.#length)
    this.#length = needed
  }

  #drop(count: number): void {
    this.#buffer.copyWithin(0, count, this.#length)
    this.#length -= count
    this.#rebase(count)
    if (this.#length === 0 && this.#buffer.length > MAX_KEPT_BUFFER_BYTES) this.#buffer = new Uint8Array(0)
  }

  #rebase(count: number): void {
    this.#searchedTo = Math.max(0, this.#searchedTo - count)
    this.#lineStart = Math.max(0, this.#lineStart - count)
  }
}

function indexOrEnd(bytes: Uint8Array, byte: number, from: number): number {
  const index = bytes.indexOf(byte, from)
  return index === -1 ? bytes.length : index
}

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
  // Nearly all named events are such a pair of lines.
  const match = NAMED_EVENT.exec(text)
  return match === null ? readLines(text) : { name: match[1] ?? '', data: match[2] ?? '', isRecognised: true }
}

// Nearly every event is one `data:` line and a blank line.
function readSingleLine(bytes: Uint8Array): string | null {
  for (let index = 0; index < DATA_FIELD.length; index++) {
    if (bytes[index] !== DATA_FIELD[index]) return null
  }
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
  let kept: Uint8Array[] | null = null
  let keptFrom = 0
  let start = 0
  for (const end of ends) {
    const verdict = weigh(bytes, start, end)
    if (verdict !== 'forward') {
      kept ??= []
      if (start > keptFrom) kept.push(bytes.subarray(keptFrom, start))
      if (verdict instanceof Uint8Array) kept.push(verdict)
      keptFrom = verdict === 'stop' ? bytes.length : end
      if (verdict === 'stop') break
    }
    start = end
  }
  if (kept === null) return bytes
  if (keptFrom < bytes.length) kept.push(bytes.subarray(keptFrom))
  return kept.length === 0 ? null : joinBytes(kept)
}

const BLANK_LINE = new TextEncoder().encode('\n\n')

/** Completes the last event of a stream that ended without a blank line; null when its data is missing or cut off. */
export function closeLastEvent(rest: Uint8Array): FramedEvents | null {
  const { data } = readSseEvent(rest)
  if (data === null || (!data.startsWith('[DONE]') && tryParseJson(data) === undefined)) return null
  const bytes = joinBytes([rest, BLANK_LINE])
  return { bytes, ends: [bytes.length] }
}

export function joinBytes(pieces: readonly Uint8Array[]): Uint8Array {
  const [only] = pieces
  return only !== undefined && pieces.length === 1 ? only : new Uint8Array(Buffer.concat(pieces))
}
