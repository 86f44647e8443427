import {
  appendFileSync,
  closeSync,
  fdatasyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { type Extent, type LineAt, readLines } from './read-lines.ts'

export const SET_ASIDE_NAME = 'set-aside.jsonl'
const LINE_END = 0x0a
const LINE_END_BYTES = Buffer.of(LINE_END)
// Of UTF-8, for each unit of a JavaScript string.
const MOST_BYTES_PER_UNIT = 3
const FIRST_BUFFER_BYTES = 16 * 1024
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
  #number: number
  #descriptor: number | null = null
  /** Of the newest file. */
  #size = 0
  #isLineTorn = false
  #bytes: Buffer = Buffer.alloc(FIRST_BUFFER_BYTES)

  constructor(folder: string) {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    this.#folder = folder
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
    this.close()
    this.#number += 1
    this.#size = 0
    this.#isLineTorn = false
    this.#descriptor = next
  }

  append(lines: readonly string[], shouldSync: boolean): Place {
    if (this.#descriptor === null) throw new Error('the journal is closed')
    const size = this.#encode(lines)
    const offset = this.#size
    try {
      if (this.#isLineTorn) this.#write(this.#descriptor, LINE_END_BYTES, LINE_END_BYTES.length)
      this.#write(this.#descriptor, this.#bytes, size)
      this.#isLineTorn = false
      if (shouldSync) fdatasyncSync(this.#descriptor)
    } catch (error) {
      this.#takeBack(this.#descriptor, offset)
      throw error
    }
    return { segment: this.#number, offset, bytes: this.#size - offset }
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
      // The next good line must not become part of half a line.
      this.#isLineTorn = true
    }
  }

  /** Into memory that is used again and again: this runs for every request. */
  #encode(lines: readonly string[]): number {
    let size = 0
    for (const line of lines) {
      const most = size + line.length * MOST_BYTES_PER_UNIT + LINE_END_BYTES.length
      if (most > this.#bytes.length) this.#bytes = Buffer.concat([this.#bytes], 2 * most)
      size += this.#bytes.write(line, size)
      this.#bytes[size] = LINE_END
      size += 1
    }
    return size
  }

  /** Keeps a line the database does not take, where no start reads it again and a person finds it. */
  setAside(line: string): void {
    appendFileSync(join(this.#folder, SET_ASIDE_NAME), `${line}\n`, { mode: 0o600 })
  }

  remove(number: number): void {
    rmSync(this.#path(number), { force: true })
  }

  close(): void {
    if (this.#descriptor !== null) closeSync(this.#descriptor)
    this.#descriptor = null
  }

  #path(number: number): string {
    return join(this.#folder, `journal-${String(number).padStart(8, '0')}.jsonl`)
  }
}
