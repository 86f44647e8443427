import type { TextPieces } from './pieced-body.ts'
import { Scratch } from './scratch.ts'

/** An HTTP/1.1 message without its content-length. */
export interface MessageText {
  /** The beginning of the head, apart from the rest where many messages share it: joining the two would copy it. */
  readonly start?: string
  /** Up to the value of `content-length`, which is the last header. */
  readonly head: string
  readonly body: string | TextPieces
}

export interface WritableSocket {
  /** Returns the number of bytes accepted; negative when the socket is closed. */
  write(data: string | Uint8Array, offset?: number, size?: number): number
}

/** Bytes that the socket has not accepted yet; null when none are left. */
export type Unsent = Uint8Array | null

const MEMORY_BYTES = 65_536
const MAX_HEAD_BYTES = 8_192
const HEAD_END = '\r\n\r\n'
const ZERO = 0x30
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

  constructor() {
    this.#memory.write(HEAD_END, MAX_HEAD_BYTES - HEAD_END.length)
  }

  write(socket: WritableSocket, message: MessageText): Unsent | 'closed' {
    const { start = '', head, body } = message
    if (
      typeof body !== 'string' ||
      body.length > MAX_BODY_LENGTH ||
      start.length + head.length > MAX_HEAD_LENGTH
    )
      return this.#writeLarge(socket, message)
    // From the end to the beginning, because the head contains the length of the body.
    const memory = this.#memory
    const bodyBytes = memory.write(body, MAX_HEAD_BYTES)
    let from = MAX_HEAD_BYTES - HEAD_END.length
    for (let rest = bodyBytes; ; rest = Math.floor(rest / 10)) {
      from -= 1
      memory[from] = ZERO + (rest % 10)
      if (rest < 10) break
    }
    from -= head.length
    memory.write(head, from, 'latin1')
    if (start !== '') {
      from -= start.length
      memory.write(start, from, 'latin1')
    }
    return send(socket, memory, { from, length: MAX_HEAD_BYTES - from + bodyBytes })
  }

  #writeLarge(socket: WritableSocket, { start = '', head, body }: MessageText): Unsent | 'closed' {
    const pieces = typeof body === 'string' ? [body] : body
    let bodyBytes = 0
    for (const piece of pieces) bodyBytes += Buffer.byteLength(piece)
    const whole = `${start}${head}${bodyBytes}${HEAD_END}`
    const length = whole.length + bodyBytes
    const memory = this.#large.take(length)
    memory.write(whole, 0, 'latin1')
    let at = whole.length
    for (const piece of pieces) at += memory.write(piece, at)
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
