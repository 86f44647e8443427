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

const SET_ASIDE_NAME = 'set-aside.jsonl'
const SEGMENT_NAME = /^journal-(\d{8})\.jsonl$/

/** The journal's folder: numbered files, written only at the end of the newest. */
export class SegmentFiles {
  readonly #folder: string
  #number: number
  #descriptor: number | null = null
  #isLineTorn = false

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

  append(bytes: Buffer, shouldSync: boolean): void {
    if (this.#descriptor === null) throw new Error('the journal is closed')
    const wasLineTorn = this.#isLineTorn
    // True while a failure would leave half a line behind; the next good line must not become part of it.
    this.#isLineTorn = true
    if (wasLineTorn) writeWhole(this.#descriptor, LINE_END)
    writeWhole(this.#descriptor, bytes)
    this.#isLineTorn = false
    if (shouldSync) fdatasyncSync(this.#descriptor)
  }

  /** Keeps a line the database does not take, where no start reads it again and a person finds it. */
  setAside(line: string): void {
    appendFileSync(join(this.#folder, SET_ASIDE_NAME), line, { mode: 0o600 })
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

const LINE_END = Buffer.from('\n')

function writeWhole(descriptor: number, bytes: Buffer): void {
  for (let written = 0; written < bytes.length; ) written += writeSync(descriptor, bytes, written)
}
