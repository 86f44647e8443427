import type { Socket } from 'bun'

/** A request as it is sent, but for its length. */
export interface RequestText {
  /** Up to the value of `content-length`, which is its last field. */
  readonly head: string
  readonly body: string
}

/** What a socket did not take yet, null when it took everything. */
export type Unsent = Uint8Array | null

const MEMORY_BYTES = 65_536
const MOST_HEAD_BYTES = 8_192
// A character takes up to three bytes.
const LONGEST_BODY = Math.floor((MEMORY_BYTES - MOST_HEAD_BYTES) / 3)
// The length itself has few digits, and two line breaks after it.
const LONGEST_HEAD = MOST_HEAD_BYTES - 16

/**
 * Writes requests, head and body in one: one write costs less than two. Most are put together in memory that is used
 * again, because a text that is made of others is copied once more, and left behind, before it is sent.
 */
export class RequestWriter {
  readonly #memory = Buffer.allocUnsafeSlow(MEMORY_BYTES)

  write(socket: Pick<Socket, 'write'>, request: RequestText): Unsent | 'closed' {
    const { head, body } = request
    if (body.length > LONGEST_BODY || head.length > LONGEST_HEAD) return writeText(socket, request)
    // The body first: its length stands in the head.
    const bodyBytes = this.#memory.write(body, MOST_HEAD_BYTES)
    const start = startOf(head, bodyBytes)
    const from = MOST_HEAD_BYTES - start.length
    this.#memory.write(start, from, 'latin1')
    const length = start.length + bodyBytes
    const written = socket.write(this.#memory, from, length)
    if (written < 0) return 'closed'
    return written < length ? Buffer.from(this.#memory.subarray(from + written, from + length)) : null
  }
}

function writeText(socket: Pick<Socket, 'write'>, { head, body }: RequestText): Unsent | 'closed' {
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
