import { type BodyFraming, type BodyTaker, ChunkedFraming, LengthFraming } from '../../wire/body-framing.ts'
import { MalformedMessage } from '../../wire/malformed-message.ts'
import type { ResponseHead } from './response-head.ts'

/** Statuses whose answers have no body, whatever their heads say. */
function isBodiless({ status }: ResponseHead): boolean {
  return status === 204 || status === 304
}

export function framingOf(head: ResponseHead): BodyFraming {
  if (isBodiless(head)) return new LengthFraming(0)
  const coding = head.get('transfer-encoding')
  if (coding !== null) {
    if (coding.toLowerCase() !== 'chunked') throw new MalformedMessage('The transfer coding is unknown.')
    return new ChunkedFraming()
  }
  const length = head.digits('content-length')
  if (length === null) return new OpenFraming()
  return new LengthFraming(Number.isNaN(length) ? readLength(head.get('content-length') ?? '') : length)
}

/** Whether another request may follow on the same connection once this response is complete. */
export function staysOpen(head: ResponseHead, framing: BodyFraming): boolean {
  if (!head.isHttp11 || framing.endsWithConnection) return false
  // Servers that send a body all the same exist, and it would come when nobody expects it.
  if (isBodiless(head)) return false
  // Said twice, the length is whatever the next one on the way believed.
  if (head.has('transfer-encoding') && head.has('content-length')) return false
  const connection = head.get('connection')
  return connection === null || !/\bclose\b/i.test(connection)
}

/** Some send the same length twice; two lengths are two responses. */
function readLength(text: string): number {
  const repeated = /^(\d+)(?:[ \t]*,[ \t]*\1)*$/.exec(text)
  const length = Number(repeated?.[1] ?? Number.NaN)
  if (Number.isSafeInteger(length)) return length
  throw new MalformedMessage('The response does not say how long it is.')
}

class OpenFraming implements BodyFraming {
  readonly isComplete = false
  readonly endsWithConnection = true

  takeAll(): boolean {
    return false
  }

  push(bytes: Buffer, taker: BodyTaker): number {
    taker.takeBody(bytes)
    return bytes.length
  }
}
