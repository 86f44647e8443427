import type { ExportFormat } from '../edges/management-api/operator/reports/export-format.ts'
import { UsageError } from './command.ts'

/** How far an export in a file has come. */
export interface Progress {
  /** Of the last line that is whole; null when there is none. */
  readonly cursor: string | null
  /** Where the whole lines end; what follows was cut off in the middle. */
  readonly wholeBytes: number
}

const NEWLINE = 0x0a
const QUOTE = 0x22
// Longer lines are none of an export.
const LONGEST_LINE = 64 * 1024 * 1024

/**
 * Reads a file that an export was written to, from its beginning: only that tells which line breaks are in a quoted text.
 * A file that does not begin like an export is refused, because resuming cuts off an incomplete last line.
 */
export async function readProgress(path: string, format: ExportFormat): Promise<Progress> {
  if (!(await beginsLikeExport(path, format))) throw noExport(path, format)
  const scan = new LineScan(format === 'csv')
  for await (const chunk of Bun.file(path).stream()) scan.push(chunk)
  // The names of the columns are the first line of a table, and no place to go on from.
  const isBegun = scan.lines > (format === 'csv' ? 1 : 0)
  if (!isBegun) return { cursor: null, wholeBytes: 0 }
  return { cursor: cursorOf(scan.lastLine(), format, path), wholeBytes: scan.wholeBytes }
}

const BEGINNINGS: Readonly<Record<ExportFormat, Uint8Array>> = {
  csv: new TextEncoder().encode('\uFEFF'),
  jsonl: new TextEncoder().encode('{'),
}

async function beginsLikeExport(path: string, format: ExportFormat): Promise<boolean> {
  const expected = BEGINNINGS[format]
  const found = new Uint8Array(await Bun.file(path).slice(0, expected.length).arrayBuffer())
  return found.every((byte, index) => byte === expected[index])
}

class LineScan {
  readonly #hasQuotes: boolean
  lines = 0
  wholeBytes = 0
  #position = 0
  #isQuoted = false
  #lineParts: Uint8Array[] = []
  #lineBytes = 0
  #last: Uint8Array = new Uint8Array()

  constructor(hasQuotes: boolean) {
    this.#hasQuotes = hasQuotes
  }

  push(chunk: Uint8Array): void {
    let start = 0
    for (let index = 0; index < chunk.length; index++) {
      const byte = chunk[index]
      if (byte === QUOTE && this.#hasQuotes) this.#isQuoted = !this.#isQuoted
      if (byte !== NEWLINE || this.#isQuoted) continue
      this.#endLine(chunk.subarray(start, index))
      start = index + 1
      this.wholeBytes = this.#position + start
    }
    this.#keep(chunk.subarray(start))
    this.#position += chunk.length
  }

  lastLine(): string {
    return new TextDecoder().decode(this.#last).trimEnd()
  }

  #endLine(rest: Uint8Array): void {
    this.#last = Buffer.concat([...this.#lineParts, rest])
    this.#lineParts = []
    this.#lineBytes = 0
    this.lines += 1
  }

  #keep(part: Uint8Array): void {
    this.#lineBytes += part.length
    if (this.#lineBytes > LONGEST_LINE) throw new UsageError('the file to resume is no export')
    this.#lineParts.push(part.slice())
  }
}

function cursorOf(line: string, format: ExportFormat, path: string): string {
  const cursor = format === 'csv' ? line.slice(line.lastIndexOf(',') + 1) : jsonCursor(line)
  if (typeof cursor === 'string' && /^[\w-]+$/.test(cursor)) return cursor
  throw noExport(path, format)
}

function noExport(path: string, format: ExportFormat): UsageError {
  return new UsageError(`${path} is no ${format} export; --resume goes on with one`)
}

function jsonCursor(line: string): unknown {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null && 'cursor' in value ? value.cursor : null
  } catch {
    return null
  }
}
