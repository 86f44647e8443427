/** The part of Bun's socket that both ends use. */
export interface Wire {
  /** Returns how many bytes were accepted: fewer than given when the other end is slow, zero or less when it is gone. */
  write(bytes: string | Uint8Array): number
}

/**
 * Sends all lines of one turn of the event loop in one write, because a write costs more than most calls. What the system
 * does not accept waits for `resume`.
 */
export class LineWriter {
  readonly #wire: Wire
  #text = ''
  #unsent: Uint8Array | null = null
  #isScheduled = false

  constructor(wire: Wire) {
    this.#wire = wire
  }

  add(line: string): void {
    this.#text += `${line}\n`
    if (this.#isScheduled || this.#unsent !== null) return
    this.#isScheduled = true
    setImmediate(() => this.#send())
  }

  /** Call when the system accepts bytes again. */
  resume(): void {
    const bytes = this.#unsent
    if (bytes === null) return
    const taken = Math.max(0, this.#wire.write(bytes))
    this.#unsent = taken < bytes.length ? bytes.subarray(taken) : null
    if (this.#unsent === null) this.#send()
  }

  #send(): void {
    this.#isScheduled = false
    if (this.#text === '') return
    const text = this.#text
    this.#text = ''
    const taken = Math.max(0, this.#wire.write(text))
    // For ASCII, which nearly every line is, the text is as long as its bytes.
    if (taken === text.length && taken === Buffer.byteLength(text)) return
    const bytes = Buffer.from(text)
    if (taken < bytes.length) this.#unsent = bytes.subarray(taken)
  }
}

/** Reassembles lines that arrive in pieces. */
export class LineReader {
  readonly #decoder = new TextDecoder()
  #rest = ''

  push(bytes: Uint8Array): string[] {
    const lines = (this.#rest + this.#decoder.decode(bytes, { stream: true })).split('\n')
    this.#rest = lines.pop() ?? ''
    return lines
  }
}
