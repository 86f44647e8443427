import { ChunkedFraming } from './chunked-framing.ts'
import { MalformedResponse, type ResponseHead } from './response-head.ts'

/** Where the body of a response ends. */
export interface BodyFraming {
  readonly isComplete: boolean
  /** Gives on what of these bytes is body; returns how many of them belong to this response. */
  push(bytes: Uint8Array, give: (bytes: Uint8Array) => void): number
  /** The connection was closed: whether the body may end with it. */
  readonly endsWithConnection: boolean
}

export function framingOf(head: ResponseHead): BodyFraming {
  const { status, fields } = head
  if (status === 204 || status === 304) return new LengthFraming(0)
  const coding = fields.get('transfer-encoding')
  if (coding !== null) {
    if (coding.toLowerCase() !== 'chunked') throw new MalformedResponse('The transfer coding is unknown.')
    return new ChunkedFraming()
  }
  const length = fields.get('content-length')
  return length === null ? new OpenFraming() : new LengthFraming(readLength(length))
}

/** Whether another request may follow on the same connection once this response is complete. */
export function staysOpen({ isHttp11, fields }: ResponseHead, framing: BodyFraming): boolean {
  if (!isHttp11 || framing.endsWithConnection) return false
  // Said twice, the length is whatever the next one on the way believed.
  if (fields.has('transfer-encoding') && fields.has('content-length')) return false
  const connection = fields.get('connection')
  return connection === null || !/\bclose\b/i.test(connection)
}

/** Some send the same length twice; two lengths are two responses. */
function readLength(text: string): number {
  const repeated = /^(\d+)(?:[ \t]*,[ \t]*\1)*$/.exec(text)
  const length = Number(repeated?.[1] ?? Number.NaN)
  if (Number.isSafeInteger(length)) return length
  throw new MalformedResponse('The response does not say how long it is.')
}

class LengthFraming implements BodyFraming {
  readonly endsWithConnection = false
  #left: number

  constructor(length: number) {
    this.#left = length
  }

  get isComplete(): boolean {
    return this.#left === 0
  }

  push(bytes: Uint8Array, give: (bytes: Uint8Array) => void): number {
    const taken = Math.min(bytes.length, this.#left)
    this.#left -= taken
    if (taken > 0) give(taken === bytes.length ? bytes : bytes.subarray(0, taken))
    return taken
  }
}

class OpenFraming implements BodyFraming {
  readonly isComplete = false
  readonly endsWithConnection = true

  push(bytes: Uint8Array, give: (bytes: Uint8Array) => void): number {
    give(bytes)
    return bytes.length
  }
}
