import { Scratch } from './scratch.ts'

/** An HTTP/1.1 message without its content-length. */
export interface MessageText {
  /** Up to the value of `content-length`, which is the last header. */
  readonly head: string
  readonly body: string
}

export interface WritableSocket {
  /** Returns the number of bytes accepted; negative when the socket is closed. */
  write(data: string | Uint8Array, offset?: number, size?: number): number
}

/** Bytes that the socket has not accepted yet; null when none are left. */
export type Unsent = Uint8Array | null

const MEMORY_BYTES = 65_536
const MAX_HEAD_BYTES = 8_192
// A character takes up to three bytes.
const MAX_BODY_LENGTH = Math.floor((MEMORY_BYTES - MAX_HEAD_BYTES) / 3)
// Leaves room for the digits of the length and two line breaks.
const MAX_HEAD_LENGTH = MAX_HEAD_BYTES - 16

/**
 * Writes head and body in one call, which costs less than two. Messages are joined in reused memory, because a
 * concatenated string would be copied again, and become garbage, before it is sent.
 */
export class MessageWriter {
  readonly #memory = Buffer.allocUnsafeSlow(MEMORY_BYTES)
  readonly #large = new Scratch()

  write(socket: WritableSocket, message: MessageText): Unsent | 'closed' {
    const { head, body } = message
    if (body.length > MAX_BODY_LENGTH || head.length > MAX_HEAD_LENGTH)
      return this.#writeLarge(socket, message)
    // The body first, because the head contains its length.
    const bodyBytes = this.#memory.write(body, MAX_HEAD_BYTES)
    const start = `${head}${bodyBytes}\r\n\r\n`
    const from = MAX_HEAD_BYTES - start.length
    this.#memory.write(start, from, 'latin1')
    return send(socket, this.#memory, { from, length: start.length + bodyBytes })
  }

  #writeLarge(socket: WritableSocket, { head, body }: MessageText): Unsent | 'closed' {
    const bodyBytes = Buffer.byteLength(body)
    const start = `${head}${bodyBytes}\r\n\r\n`
    const length = start.length + bodyBytes
    const memory = this.#large.take(length)
    memory.write(start, 0, 'latin1')
    memory.write(body, start.length)
    return send(socket, memory, { from: 0, length })
  }
}

interface Stretch {
  readonly from: number
  readonly length: number
}

/** What is left is copied: the memory is used for the next message. */
function send(socket: WritableSocket, memory: Buffer, { from, length }: Stretch): Unsent | 'closed' {
  const written = socket.write(memory, from, length)
  if (written < 0) return 'closed'
  return written < length ? Buffer.from(memory.subarray(from + written, from + length)) : null
}
