import { closeSync, fstatSync, openSync, readSync } from 'node:fs'

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
