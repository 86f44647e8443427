import {
  appendFileSync,
  closeSync,
  fdatasyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  unlinkSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { decodeJournalLine, type JournalLine } from '../../rules/ledger/journal-line.ts'

export const SET_ASIDE_NAME = 'set-aside.jsonl'
const LINE_END = Buffer.from('\n')
// Of UTF-8, for each unit of a JavaScript string.
const MOST_BYTES_PER_UNIT = 3
const FIRST_BUFFER_BYTES = 16 * 1024
export const SEGMENT_NAME = /^journal-(\d{8})\.jsonl$/

/** The journal's folder: numbered files, written only at the end of the newest. */
export class SegmentFiles {
  readonly #folder: string
  #number: number
  #descriptor: number | null = null
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

  numbers(): number[] {
    const numbers: number[] = []
    for (const name of readdirSync(this.#folder)) {
      const match = SEGMENT_NAME.exec(name)
      if (match) numbers.push(Number(match[1]))
    }
    return numbers.sort((one, other) => one - other)
  }

  /** A last line that a crash cut short is left out; it was never answered. */
  read(number: number): JournalLine[] {
    const lines = readFileSync(this.#path(number), 'utf8').split('\n')
    return lines.flatMap((line) => (line === '' ? [] : (decodeJournalLine(line) ?? [])))
  }

  startNext(): void {
    this.close()
    this.#number += 1
    this.#isLineTorn = false
    this.#descriptor = openSync(this.#path(this.#number), 'a', 0o600)
  }

  /** Gives how many bytes it wrote. */
  append(lines: readonly string[], shouldSync: boolean): number {
    if (this.#descriptor === null) throw new Error('the journal is closed')
    const size = this.#encode(lines)
    const wasLineTorn = this.#isLineTorn
    // True while a failure would leave half a line behind; the next good line must not become part of it.
    this.#isLineTorn = true
    if (wasLineTorn) writeWhole(this.#descriptor, LINE_END, LINE_END.length)
    writeWhole(this.#descriptor, this.#bytes, size)
    this.#isLineTorn = false
    if (shouldSync) fdatasyncSync(this.#descriptor)
    return size
  }

  /** Into memory that is used again and again: this runs for every request. */
  #encode(lines: readonly string[]): number {
    let size = 0
    for (const line of lines) {
      const most = size + line.length * MOST_BYTES_PER_UNIT + LINE_END.length
      if (most > this.#bytes.length) this.#bytes = Buffer.concat([this.#bytes], 2 * most)
      size += this.#bytes.write(line, size)
      size += LINE_END.copy(this.#bytes, size)
    }
    return size
  }

  /** Keeps a line the database does not take, where no start reads it again and a person finds it. */
  setAside(line: string): void {
    appendFileSync(join(this.#folder, SET_ASIDE_NAME), `${line}\n`, { mode: 0o600 })
  }

  remove(number: number): void {
    unlinkSync(this.#path(number))
  }

  close(): void {
    if (this.#descriptor !== null) closeSync(this.#descriptor)
    this.#descriptor = null
  }

  #path(number: number): string {
    return join(this.#folder, `journal-${String(number).padStart(8, '0')}.jsonl`)
  }
}

function writeWhole(descriptor: number, bytes: Buffer, size: number): void {
  for (let written = 0; written < size; ) written += writeSync(descriptor, bytes, written, size - written)
}
