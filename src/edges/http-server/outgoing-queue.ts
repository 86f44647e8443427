import type { PieceSink } from './outgoing-pieces.ts'

export interface SendingSocket {
  /** Gives how much was taken; negative when nothing can be sent any more. */
  write(data: string | Uint8Array, offset?: number, size?: number): number
}

/** What a socket has not taken yet, which is nearly always nothing. */
export class OutgoingQueue implements PieceSink {
  readonly #socket: SendingSocket
  #unsent: Uint8Array[] = []
  #drained: PromiseWithResolvers<void> | null = null

  constructor(socket: SendingSocket) {
    this.#socket = socket
  }

  get hasUnsent(): boolean {
    return this.#unsent.length > 0
  }

  /** `bytes` is how many the text has as UTF-8. */
  sendText(text: string, bytes: number): void {
    const written = this.hasUnsent ? 0 : this.#socket.write(text)
    if (written < bytes) this.#unsent.push(Buffer.from(text).subarray(Math.max(0, written)))
  }

  sendPiece(bytes: Uint8Array, size: number): void {
    const written = this.hasUnsent ? 0 : this.#socket.write(bytes, 0, size)
    // A copy, since what is given may be used again for the next piece.
    if (written < size) this.#unsent.push(bytes.slice(Math.max(0, written), size))
  }

  drained(): Promise<void> {
    if (!this.hasUnsent) return Promise.resolve()
    this.#drained ??= Promise.withResolvers<void>()
    return this.#drained.promise
  }

  /** The socket takes more. */
  goOn(): void {
    for (let next = this.#unsent[0]; next !== undefined; next = this.#unsent[0]) {
      const written = this.#socket.write(next, 0, next.length)
      if (written < next.length) {
        if (written > 0) this.#unsent[0] = next.subarray(written)
        return
      }
      this.#unsent.shift()
    }
    this.#tellDrained()
  }

  /** What is left is not to be sent. */
  clear(): void {
    this.#unsent = []
    this.#tellDrained()
  }

  #tellDrained(): void {
    const drained = this.#drained
    this.#drained = null
    drained?.resolve()
  }
}
