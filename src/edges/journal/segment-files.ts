import {
  closeSync,
  fdatasyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { decodeJournalLine, type JournalLine } from '../../rules/ledger/journal-line.ts'
import { type Extent, type LineAt, readLines } from './read-lines.ts'
import { appendSynced, readRaw, syncFolder } from './synced-files.ts'

export const SET_ASIDE_NAME = 'set-aside.jsonl'
/** Contains unreadable lines, byte for byte. */
export const DAMAGED_FOLDER = 'damaged'
const LINE_END = 0x0a
const LINE_END_BYTES = Buffer.of(LINE_END)
// UTF-8 bytes per UTF-16 code unit.
const MAX_BYTES_PER_UNIT = 3
const FIRST_BUFFER_BYTES = 16 * 1024
// Empty lines, which readers skip. Larger than the rest of a block, which a full disk still accepts.
const PROBE = Buffer.alloc(16 * 1024, LINE_END)
export const SEGMENT_NAME = /^journal-(\d{8})\.jsonl$/

/** Where a group of lines was written. */
export interface Place {
  readonly segment: number
  readonly offset: number
  readonly bytes: number
}

/** The journal's folder: numbered files, of which only the newest is appended to. */
export class SegmentFiles {
  readonly #folder: string
  readonly #isSynced: boolean
  /** Files with damaged lines that could not be copied. */
  readonly #pinned = new Set<string>()
  /** The number of the newest file. Only this class sets it. */
  current: number
  /** The size of the newest file. Only this class sets it. */
  currentBytes = 0
  /** Files that are complete but were not removed yet. */
  readonly #complete = new Set<number>()
  /** The file of each admission that has no settlement in a file yet, and how many there are in each file. */
  readonly #openAdmissions = new Map<string, number>()
  readonly #openCounts = new Map<number, number>()
  #descriptor: number | null = null
  /** Where a failed write starts that could not be undone. */
  #tornAt: number | null = null
  #bytes: Buffer = Buffer.alloc(FIRST_BUFFER_BYTES)

  /** With `isSynced`, every change survives a power cut once the method returns. */
  constructor(folder: string, { isSynced = false }: { readonly isSynced?: boolean } = {}) {
    const made = mkdirSync(folder, { recursive: true, mode: 0o700 })
    this.#folder = folder
    this.#isSynced = isSynced
    if (isSynced && made !== undefined) syncFolder(dirname(folder))
    this.current = Math.max(0, ...this.numbers())
  }

  numbers(): number[] {
    const numbers: number[] = []
    for (const name of readdirSync(this.#folder)) {
      const match = SEGMENT_NAME.exec(name)
      if (match) numbers.push(Number(match[1]))
    }
    return numbers.sort((one, other) => one - other)
  }

  read(number: number, extent?: Extent): Generator<LineAt> {
    return readLines(this.#path(number), extent)
  }

  /** If the next file cannot be created, this one stays in use. */
  startNext(): void {
    const next = openSync(this.#path(this.current + 1), 'a', 0o600)
    try {
      // A synced file is lost if its folder entry is not synced.
      if (this.#isSynced) syncFolder(this.#folder)
    } catch (error) {
      closeSync(next)
      throw error
    }
    if (this.#descriptor !== null) this.#complete.add(this.current)
    this.close()
    this.current += 1
    this.currentBytes = 0
    this.#tornAt = null
    this.#descriptor = next
  }

  append(lines: readonly string[]): Place {
    if (this.#descriptor === null) throw new Error('The journal is closed.')
    // One buffer for all lines of all requests.
    let size = 0
    for (const line of lines) {
      const maxSize = size + line.length * MAX_BYTES_PER_UNIT + SEAL_BYTES
      if (maxSize > this.#bytes.length) this.#bytes = Buffer.concat([this.#bytes], 2 * maxSize)
      size = writeSealedLine(this.#bytes, line, size)
    }
    if (this.#tornAt !== null) this.#mend(this.#descriptor, this.#tornAt)
    const offset = this.currentBytes
    try {
      this.#write(this.#descriptor, this.#bytes, size)
      if (this.#isSynced) fdatasyncSync(this.#descriptor)
    } catch (error) {
      this.#undoWrite(this.#descriptor, offset)
      throw error
    }
    return { segment: this.current, offset, bytes: this.currentBytes - offset }
  }

  /** Throws when the disk cannot be written; leaves nothing behind. */
  probe(): void {
    if (this.#descriptor === null) throw new Error('The journal is closed.')
    if (this.#tornAt !== null) this.#mend(this.#descriptor, this.#tornAt)
    const offset = this.currentBytes
    try {
      this.#write(this.#descriptor, PROBE, PROBE.length)
      if (this.#isSynced) fdatasyncSync(this.#descriptor)
    } finally {
      this.#undoWrite(this.#descriptor, offset)
    }
  }

  #write(descriptor: number, bytes: Buffer, size: number): void {
    for (let written = 0; written < size; ) {
      const more = writeSync(descriptor, bytes, written, size - written)
      written += more
      this.currentBytes += more
    }
  }

  /** Removes a partial write, so that readers find its lines once, when they are written again. */
  #undoWrite(descriptor: number, offset: number): void {
    try {
      ftruncateSync(descriptor, offset)
      this.currentBytes = offset
    } catch {
      this.#tornAt = offset
    }
  }

  /** Unacknowledged bytes must not be read by the next start or become part of the next line. */
  #mend(descriptor: number, offset: number): void {
    this.#undoWrite(descriptor, offset)
    if (this.currentBytes !== offset) this.#write(descriptor, LINE_END_BYTES, LINE_END_BYTES.length)
    this.#tornAt = null
  }

  /** Keeps a line that the database refuses where no start reads it again and an operator finds it. */
  setAside(line: string): void {
    appendSynced(join(this.#folder, SET_ASIDE_NAME), Buffer.from(`${line}\n`))
  }

  /** Copies a damaged line to its own folder. Returns null when that fails; its file is then not removed. */
  keepDamaged({ path, startsAt, endsAt, isCutOff }: LineAt): string | null {
    try {
      const folder = join(this.#folder, DAMAGED_FOLDER)
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      const kept = join(folder, basename(path))
      const bytes = readRaw(path, startsAt, endsAt)
      appendSynced(kept, isCutOff ? Buffer.concat([bytes, LINE_END_BYTES]) : bytes)
      return kept
    } catch {
      this.#pinned.add(path)
      return null
    }
  }

  /** Keeps the newest file, which holds this admission, until `release`. */
  keepFor(requestId: string): void {
    this.#openAdmissions.set(requestId, this.current)
    this.#openCounts.set(this.current, (this.#openCounts.get(this.current) ?? 0) + 1)
  }

  /** Call when the settlement of the request is in a file or in the database. */
  release(requestId: string): void {
    const segment = this.#openAdmissions.get(requestId)
    if (segment === undefined) return
    this.#openAdmissions.delete(requestId)
    const left = (this.#openCounts.get(segment) ?? 0) - 1
    if (left > 0) this.#openCounts.set(segment, left)
    else this.#openCounts.delete(segment)
  }

  get hasOpenAdmissions(): boolean {
    return this.#openAdmissions.size > 0
  }

  /** Removes the complete files before this one, except those that hold open admissions. */
  removeBefore(first: number): void {
    for (const segment of this.#complete) {
      if (segment >= first || this.#openCounts.has(segment)) continue
      this.#complete.delete(segment)
      this.remove(segment)
    }
  }

  remove(number: number): void {
    const path = this.#path(number)
    if (this.#pinned.has(path)) return
    rmSync(path, { force: true })
    if (this.#isSynced) syncFolder(this.#folder)
  }

  close(): void {
    if (this.#descriptor !== null) closeSync(this.#descriptor)
    this.#descriptor = null
  }

  #path(number: number): string {
    return join(this.#folder, `journal-${String(number).padStart(8, '0')}.jsonl`)
  }
}

const FIELD = ',"crc":"'
const DIGITS = 8
const END = Buffer.from(`${FIELD}${'0'.repeat(DIGITS)}"}\n`)
const HEX = Buffer.from('0123456789abcdef')
/** How many bytes the checksum and the line break add. */
export const SEAL_BYTES = END.length
// Length of the checksum field in a line without its line break.
const SEAL_LENGTH = END.length - 1

/**
 * Writes a line: a JSON object with a checksum as its last field. Returns where the next line starts. Without the checksum, a flipped bit
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
  if (text.slice(-SEAL_LENGTH, FIELD.length - SEAL_LENGTH) !== FIELD) return true
  const digits = text.slice(-DIGITS - 2, -2)
  return Bun.hash.crc32(`${text.slice(0, -SEAL_LENGTH)}}`) === Number.parseInt(digits, 16)
}
