/** An HTTP/1.1 message as it is sent, but for its length. */
export interface MessageText {
  /** Up to the value of `content-length`, which is its last field. */
  readonly head: string
  readonly body: string
}

export interface WritableSocket {
  /** Gives how many bytes were taken; negative when nothing can be sent any more. */
  write(data: string | Uint8Array, offset?: number, size?: number): number
}

/** What a socket did not take yet, null when it took everything. */
export type Unsent = Uint8Array | null

const MEMORY_BYTES = 65_536
const MAX_HEAD_BYTES = 8_192
// A character takes up to three bytes.
const MAX_BODY_LENGTH = Math.floor((MEMORY_BYTES - MAX_HEAD_BYTES) / 3)
// The length itself has few digits, and two line breaks after it.
const MAX_HEAD_LENGTH = MAX_HEAD_BYTES - 16

/**
 * Writes messages, head and body in one: one write costs less than two. Most are put together in memory that is used
 * again, because a text that is made of others is copied once more, and left behind, before it is sent.
 */
export class MessageWriter {
  readonly #memory = Buffer.allocUnsafeSlow(MEMORY_BYTES)

  write(socket: WritableSocket, message: MessageText): Unsent | 'closed' {
    const { head, body } = message
    if (body.length > MAX_BODY_LENGTH || head.length > MAX_HEAD_LENGTH) return writeText(socket, message)
    // The body first: its length stands in the head.
    const bodyBytes = this.#memory.write(body, MAX_HEAD_BYTES)
    const start = startOf(head, bodyBytes)
    const from = MAX_HEAD_BYTES - start.length
    this.#memory.write(start, from, 'latin1')
    const length = start.length + bodyBytes
    const written = socket.write(this.#memory, from, length)
    if (written < 0) return 'closed'
    return written < length ? Buffer.from(this.#memory.subarray(from + written, from + length)) : null
  }
}

function writeText(socket: WritableSocket, { head, body }: MessageText): Unsent | 'closed' {
  const bodyBytes = Buffer.byteLength(body)
  const start = startOf(head, bodyBytes)
  const text = start + body
  const written = socket.write(text)
  if (written < 0) return 'closed'
  return written < start.length + bodyBytes ? Buffer.from(text).subarray(written) : null
}

function startOf(head: string, bodyBytes: number): string {
  return `${head}${bodyBytes}\r\n\r\n`
}
