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
/** Of lines that say nothing any more, byte for byte. */
export const DAMAGED_FOLDER = 'damaged'
const LINE_END = 0x0a
const LINE_END_BYTES = Buffer.of(LINE_END)
// Of UTF-8, for each unit of a JavaScript string.
const MAX_BYTES_PER_UNIT = 3
const FIRST_BUFFER_BYTES = 16 * 1024
// Empty lines, which say nothing to whoever reads them. More than the rest of a block, which a full disk still takes.
const PROBE = Buffer.alloc(16 * 1024, LINE_END)
export const SEGMENT_NAME = /^journal-(\d{8})\.jsonl$/

/** Where lines went that were written together. */
export interface Place {
  readonly segment: number
  readonly offset: number
  readonly bytes: number
}

/** The journal's folder: numbered files, written only at the end of the newest. */
export class SegmentFiles {
  readonly #folder: string
  readonly #isSynced: boolean
  /** Files with damaged lines that could not be kept aside. */
  readonly #pinned = new Set<string>()
  #number: number
  #descriptor: number | null = null
  /** Of the newest file. */
  #size = 0
  /** Where what must not be read begins, because a failed write could not be taken back. */
  #tornAt: number | null = null
  #bytes: Buffer = Buffer.alloc(FIRST_BUFFER_BYTES)

  /** Synced: what was done here is on the disk when it is done, and a power cut does not undo it. */
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

  /** A disk that does not take the next file leaves this one in use. */
  startNext(): void {
    const next = openSync(this.#path(this.#number + 1), 'a', 0o600)
    try {
      // A file that no folder names is lost, however well it was synced.
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
    if (this.#descriptor === null) throw new Error('the journal is closed')
    const size = this.#encode(lines)
    if (this.#tornAt !== null) this.#mend(this.#descriptor, this.#tornAt)
    const offset = this.#size
    try {
      this.#write(this.#descriptor, this.#bytes, size)
      if (this.#isSynced) fdatasyncSync(this.#descriptor)
    } catch (error) {
      this.#takeBack(this.#descriptor, offset)
      throw error
    }
    return { segment: this.#number, offset, bytes: this.#size - offset }
  }

  /** Throws when the disk does not take what many requests write; leaves nothing behind. */
  probe(): void {
    if (this.#descriptor === null) throw new Error('the journal is closed')
    if (this.#tornAt !== null) this.#mend(this.#descriptor, this.#tornAt)
    const offset = this.#size
    try {
      this.#write(this.#descriptor, PROBE, PROBE.length)
      if (this.#isSynced) fdatasyncSync(this.#descriptor)
    } finally {
      this.#takeBack(this.#descriptor, offset)
    }
  }

  #write(descriptor: number, bytes: Buffer, size: number): void {
    for (let written = 0; written < size; ) {
      const more = writeSync(descriptor, bytes, written, size - written)
      written += more
      this.#size += more
    }
  }

  /** What was written in part is in no file: whoever reads on from here must find it once, when it is written again. */
  #takeBack(descriptor: number, offset: number): void {
    try {
      ftruncateSync(descriptor, offset)
      this.#size = offset
    } catch {
      this.#tornAt = offset
    }
  }

  /** What no client was told of must not be read by the next start, nor become part of the next good line. */
  #mend(descriptor: number, offset: number): void {
    this.#takeBack(descriptor, offset)
    if (this.#size !== offset) this.#write(descriptor, LINE_END_BYTES, LINE_END_BYTES.length)
    this.#tornAt = null
  }

  /** Into memory that is used again and again: this runs for every request. */
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

  /** Keeps a line the database does not take, where no start reads it again and a person finds it. */
  setAside(line: string): void {
    appendSynced(join(this.#folder, SET_ASIDE_NAME), Buffer.from(`${line}\n`))
  }

  /** Copies a line as it is to where it stays. null when that fails; then its file is not removed. */
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

/** Names of files that were made, renamed or removed reach the disk with their folder, not with the files. */
export function syncFolder(path: string): void {
  const folder = openSync(path, 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}

/** When it returns, the bytes and the name of the file survive a power cut. */
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
