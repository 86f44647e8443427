import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { decodeJournalLine, type JournalLine } from '../../rules/ledger/journal-line.ts'

export interface LineAt {
  /** Without the line break. */
  readonly text: string
  /** The file, and the offset at which the line starts. */
  readonly path: string
  readonly startsAt: number
  /** The offset of the next line. */
  readonly endsAt: number
  /** Whether the file ends without a line break, as after a crash. */
  readonly isCutOff: boolean
}

/** A byte range of a file. */
export interface Extent {
  readonly from?: number
  readonly to?: number
}

const CHUNK_BYTES = 256 * 1024
const LINE_END = 0x0a
const NOTHING: Buffer = Buffer.alloc(0)

/** Reads a file line by line, so that a file of any size takes little memory. */
export function* readLines(
  path: string,
  { from = 0, to = Number.POSITIVE_INFINITY }: Extent = {},
): Generator<LineAt> {
  const file = openSync(path, 'r')
  try {
    const end = Math.min(to, fstatSync(file).size)
    let position = from
    let rest = NOTHING
    while (position < end) {
      const chunk = readChunk(file, { from: position, to: end })
      // The file was truncated meanwhile.
      if (chunk.length === 0) break
      position += chunk.length
      const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
      rest = yield* splitLines(bytes, { path, startsAt: position - bytes.length })
    }
    // A crash may have cut the last line short.
    if (rest.length > 0) {
      const startsAt = position - rest.length
      yield { text: rest.toString('utf8'), path, startsAt, endsAt: position, isCutOff: true }
    }
  } finally {
    closeSync(file)
  }
}

function readChunk(file: number, { from, to }: Required<Extent>): Buffer {
  const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, to - from))
  return chunk.subarray(0, readSync(file, chunk, 0, chunk.length, from))
}

/** Returns what is left after the last whole line. */
function* splitLines(
  bytes: Buffer,
  { path, startsAt }: Pick<LineAt, 'path' | 'startsAt'>,
): Generator<LineAt, Buffer> {
  let start = 0
  for (let end = bytes.indexOf(LINE_END); end !== -1; end = bytes.indexOf(LINE_END, start)) {
    const text = bytes.toString('utf8', start, end)
    yield { text, path, startsAt: startsAt + start, endsAt: startsAt + end + 1, isCutOff: false }
    start = end + 1
  }
  return bytes.subarray(start)
}

const FIELD = ',"crc":"'
const DIGITS = 8
const END = Buffer.from(`${FIELD}${'0'.repeat(DIGITS)}"}`)
const HEX = Buffer.from('0123456789abcdef')
/** How many bytes the checksum adds to a line. */
export const SEAL_BYTES = END.length

/**
 * Writes a JSON object with a checksum as its last field and returns where it ends. Without the checksum, a flipped bit
 * in a digit would still be JSON, and an account would be charged a wrong amount. Older versions ignore the field. This
 * runs for every request, so it builds no second string.
 */
export function writeSealedLine(bytes: Buffer, text: string, offset: number): number {
  // In place of the brace that closes the object.
  const end = offset + bytes.write(text, offset) - 1
  let checksum = Bun.hash.crc32(text)
  for (let index = FIELD.length + DIGITS - 1; index >= FIELD.length; index -= 1) {
    END[index] = HEX[checksum & 15] ?? 0
    checksum >>>= 4
  }
  bytes.set(END, end)
  return end + END.length
}

/** null for a line that was cut short, altered on disk, or is invalid. Lines of earlier versions have no checksum. */
export function decodeSealedLine(text: string): JournalLine | null {
  return isIntact(text) ? decodeJournalLine(text) : null
}

function isIntact(text: string): boolean {
  if (text.slice(-END.length, FIELD.length - END.length) !== FIELD) return true
  const digits = text.slice(-DIGITS - 2, -2)
  return Bun.hash.crc32(`${text.slice(0, -END.length)}}`) === Number.parseInt(digits, 16)
}
