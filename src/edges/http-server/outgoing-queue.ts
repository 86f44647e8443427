import type { MessageText, MessageWriter, WritableSocket } from '../../wire/message-writer.ts'
import type { PieceSink } from './outgoing-pieces.ts'

// For what has to wait in line.
const FULL: WritableSocket = { write: () => 0 }

/** What a socket has not taken yet, which is nearly always nothing. */
export class OutgoingQueue implements PieceSink {
  readonly #socket: WritableSocket
  readonly #writer: MessageWriter
  #unsent: Uint8Array[] = []
  #drained: PromiseWithResolvers<void> | null = null

  constructor(socket: WritableSocket, writer: MessageWriter) {
    this.#socket = socket
    this.#writer = writer
  }

  get unsentBytes(): number {
    let bytes = 0
    for (const piece of this.#unsent) bytes += piece.length
    return bytes
  }

  get hasUnsent(): boolean {
    return this.#unsent.length > 0
  }

  /** All of it is plain, so it has as many bytes as signs. */
  sendLines(text: string): void {
    const written = this.hasUnsent ? 0 : this.#socket.write(text)
    if (written < text.length) this.#unsent.push(Buffer.from(text).subarray(Math.max(0, written)))
  }

  sendMessage(message: MessageText): void {
    const unsent = this.#writer.write(this.hasUnsent ? FULL : this.#socket, message)
    // What cannot be sent any more is lost with the connection.
    if (unsent !== null && unsent !== 'closed') this.#unsent.push(unsent)
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
