import { tryParseJson } from '../../../wire/json-values.ts'

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPENING_BRACE = 0x7b
const CLOSING_BRACE = 0x7d

/**
 * Collects the input of a streamed call. `isWhole` is read after every piece, so the scan keeps its state: each
 * character is read once, and only when `isWhole` is read.
 */
export class CallInput {
  /** The input received so far. */
  text = ''
  #unread: string[] = []
  #depth = 0
  #isInString = false
  #isEscaped = false
  /** `broken`: no further input can make this an object. */
  #state: 'before' | 'inside' | 'after' | 'whole' | 'broken' = 'before'

  add(piece: string): void {
    this.text += piece
    this.#unread.push(piece)
  }

  get isWhole(): boolean {
    for (const piece of this.#unread) this.#read(piece)
    this.#unread = []
    if (this.#state === 'after') this.#state = tryParseJson(this.text) === undefined ? 'broken' : 'whole'
    return this.#state === 'whole'
  }

  #read(piece: string): void {
    for (let at = 0; at < piece.length && this.#state !== 'broken'; at += 1) {
      const code = piece.charCodeAt(at)
      if (this.#state === 'inside') this.#step(code)
      else if (!isBlank(code)) this.#begin(code)
    }
  }

  #begin(code: number): void {
    const opens = this.#state === 'before' && code === OPENING_BRACE
    this.#state = opens ? 'inside' : 'broken'
    this.#depth = 1
  }

  #step(code: number): void {
    if (this.#isInString) {
      if (this.#isEscaped) this.#isEscaped = false
      else if (code === BACKSLASH) this.#isEscaped = true
      else if (code === QUOTE) this.#isInString = false
    } else if (code === QUOTE) this.#isInString = true
    else if (code === OPENING_BRACE) this.#depth += 1
    else if (code === CLOSING_BRACE) {
      this.#depth -= 1
      if (this.#depth === 0) this.#state = 'after'
    }
  }
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09
}
