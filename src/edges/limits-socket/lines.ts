/** What both ends of a connection can be told to do with it; a part of Bun's socket. */
export interface Wire {
  /** How many bytes were taken; fewer than were given when the other end is slow, none or less when it is gone. */
  write(bytes: string | Uint8Array): number
}

/**
 * Sends lines, all of one turn of the event loop together: a write costs more than most of what the lines ask for.
 * What the system does not take at once waits for `resume`.
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

  /** To be called when the system takes bytes again. */
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
    // Its length is that of its bytes as long as it is plain, which nearly every text here is.
    if (taken === text.length && taken === Buffer.byteLength(text)) return
    const bytes = Buffer.from(text)
    if (taken < bytes.length) this.#unsent = bytes.subarray(taken)
  }
}

/** Puts lines together again that arrive in pieces. */
export class LineReader {
  readonly #decoder = new TextDecoder()
  #rest = ''

  push(bytes: Uint8Array): string[] {
    const lines = (this.#rest + this.#decoder.decode(bytes, { stream: true })).split('\n')
    this.#rest = lines.pop() ?? ''
    return lines
  }
}
