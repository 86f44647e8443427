import {
  closeSync,
  fdatasyncSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { type Extent, type LineAt, readLines, SEAL_BYTES, writeSealedLine } from './journal-lines.ts'

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
  #number: number
  #descriptor: number | null = null
  /** Size of the newest file. */
  #size = 0
  /** Where a failed write starts that could not be undone. */
  #tornAt: number | null = null
  #bytes: Buffer = Buffer.alloc(FIRST_BUFFER_BYTES)

  /** With `isSynced`, every change survives a power cut once the method returns. */
  constructor(folder: string, { isSynced = false }: { readonly isSynced?: boolean } = {}) {
    const made = mkdirSync(folder, { recursive: true, mode: 0o700 })
    this.#folder = folder
    this.#isSynced = isSynced
    if (isSynced && made !== undefined) syncFolder(dirname(folder))
    this.#number = Math.max(0, ...this.numbers())
  }

  get current(): number {
    return this.#number
  }

  get currentBytes(): number {
    return this.#size
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
    const next = openSync(this.#path(this.#number + 1), 'a', 0o600)
    try {
      // A synced file is lost if its folder entry is not synced.
      if (this.#isSynced) syncFolder(this.#folder)
    } catch (error) {
      closeSync(next)
      throw error
    }
    this.close()
    this.#number += 1
    this.#size = 0
    this.#tornAt = null
    this.#descriptor = next
  }

  append(lines: readonly string[]): Place {
    if (this.#descriptor === null) throw new Error('The journal is closed.')
    const size = this.#encode(lines)
    if (this.#tornAt !== null) this.#mend(this.#descriptor, this.#tornAt)
    const offset = this.#size
    try {
      this.#write(this.#descriptor, this.#bytes, size)
      if (this.#isSynced) fdatasyncSync(this.#descriptor)
    } catch (error) {
      this.#undoWrite(this.#descriptor, offset)
      throw error
    }
    return { segment: this.#number, offset, bytes: this.#size - offset }
  }

  /** Throws when the disk cannot be written; leaves nothing behind. */
  probe(): void {
    if (this.#descriptor === null) throw new Error('The journal is closed.')
    if (this.#tornAt !== null) this.#mend(this.#descriptor, this.#tornAt)
    const offset = this.#size
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
      this.#size += more
    }
  }

  /** Removes a partial write, so that readers find its lines once, when they are written again. */
  #undoWrite(descriptor: number, offset: number): void {
    try {
      ftruncateSync(descriptor, offset)
      this.#size = offset
    } catch {
      this.#tornAt = offset
    }
  }

  /** Unacknowledged bytes must not be read by the next start or become part of the next line. */
  #mend(descriptor: number, offset: number): void {
    this.#undoWrite(descriptor, offset)
    if (this.#size !== offset) this.#write(descriptor, LINE_END_BYTES, LINE_END_BYTES.length)
    this.#tornAt = null
  }

  /** Reuses one buffer, since this runs for every request. */
  #encode(lines: readonly string[]): number {
    let size = 0
    for (const line of lines) {
      const most = size + line.length * MAX_BYTES_PER_UNIT + SEAL_BYTES + LINE_END_BYTES.length
      if (most > this.#bytes.length) this.#bytes = Buffer.concat([this.#bytes], 2 * most)
      size = writeSealedLine(this.#bytes, line, size)
      this.#bytes[size] = LINE_END
      size += 1
    }
    return size
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

/** Created, renamed and removed names reach the disk with their folder, not with the files. */
export function syncFolder(path: string): void {
  const folder = openSync(path, 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}

/** Afterwards, the bytes and the name of the file survive a power cut. */
export function appendSynced(path: string, bytes: Buffer): void {
  const file = openSync(path, 'a', 0o600)
  try {
    for (let written = 0; written < bytes.length; ) written += writeSync(file, bytes, written)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  syncFolder(dirname(path))
}

export function readRaw(path: string, from: number, to: number): Buffer {
  const file = openSync(path, 'r')
  try {
    const bytes = Buffer.alloc(to - from)
    return bytes.subarray(0, readSync(file, bytes, 0, bytes.length, from))
  } finally {
    closeSync(file)
  }
}
