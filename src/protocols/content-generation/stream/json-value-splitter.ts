const QUOTE = 0x22
const BACKSLASH = 0x5c
const decoder = new TextDecoder()

/**
 * Cuts a stream of JSON objects into the text of each, however its bytes arrive. What stands between them, such as the
 * brackets and commas of a list, is left out. Every byte is looked at once, and only once.
 */
export class JsonValueSplitter {
  #depth = 0
  #isInString = false
  #isEscaped = false
  /** What there is of the object that has begun. */
  #pieces: Uint8Array[] = []
  #pendingLength = 0

  /** Bytes of an unfinished object. */
  get pendingLength(): number {
    return this.#pendingLength
  }

  push(bytes: Uint8Array): string[] {
    const texts: string[] = []
    let start = this.#depth > 0 ? 0 : -1
    for (let index = 0; index < bytes.length; index++) {
      const step = this.#step(bytes[index] ?? 0)
      if (step === 'opened') start = index
      if (step !== 'closed') continue
      texts.push(this.#join(bytes.subarray(start, index + 1)))
      start = -1
    }
    if (start !== -1) this.#keep(bytes.slice(start))
    return texts
  }

  #step(byte: number): 'opened' | 'closed' | 'inside' {
    if (this.#isInString) {
      if (this.#isEscaped) this.#isEscaped = false
      else if (byte === BACKSLASH) this.#isEscaped = true
      else if (byte === QUOTE) this.#isInString = false
      return 'inside'
    }
    if (byte === QUOTE) this.#isInString = this.#depth > 0
    else if (byte === 0x7b) return this.#depth++ === 0 ? 'opened' : 'inside'
    else if (byte === 0x7d && this.#depth > 0) return --this.#depth === 0 ? 'closed' : 'inside'
    return 'inside'
  }

  #keep(piece: Uint8Array): void {
    this.#pieces.push(piece)
    this.#pendingLength += piece.length
  }

  #join(last: Uint8Array): string {
    if (this.#pieces.length === 0) return decoder.decode(last)
    const text = decoder.decode(Buffer.concat([...this.#pieces, last]))
    this.#pieces = []
    this.#pendingLength = 0
    return text
  }
}
