import { endOfText, HeadFields } from '../../wire/head-fields.ts'
import { MalformedMessage } from '../../wire/malformed-message.ts'

const PROTOCOL = Buffer.from('HTTP/1.')
// Several times what any supplier sends.
const MAX_FIELDS = 256

const ZERO = 0x30
const BLANK = 0x20

/** The head of a response. */
export class ResponseHead extends HeadFields {
  readonly status: number
  readonly isHttp11: boolean

  /** What is before this place in the bytes, where the empty line begins. Throws when it is no head. */
  constructor(bytes: Buffer, end: number) {
    const lineEnd = endOfText(bytes, 0, end)
    const status = readStatus(bytes, lineEnd)
    super(bytes, lineEnd, end)
    if (this.fieldCount > MAX_FIELDS)
      throw new MalformedMessage('The head of the response has too many lines.')
    this.status = status
    this.isHttp11 = bytes[7] !== ZERO
  }
}

/** The status of `HTTP/1.1 200`, which a phrase may follow that nobody reads. */
function readStatus(bytes: Buffer, end: number): number {
  for (let at = 0; at < PROTOCOL.length; at++) if (bytes[at] !== PROTOCOL[at]) throw malformed()
  const version = digitAt(bytes, 7)
  const status = digitAt(bytes, 9) * 100 + digitAt(bytes, 10) * 10 + digitAt(bytes, 11)
  const isWhole = end === 12 || (end > 12 && bytes[12] === BLANK)
  if (!isWhole || version > 1 || bytes[8] !== BLANK || status < 100 || status > 599) throw malformed()
  return status
}

function digitAt(bytes: Buffer, at: number): number {
  const digit = (bytes[at] ?? 0) - ZERO
  if (digit < 0 || digit > 9) throw malformed()
  return digit
}

function malformed(): MalformedMessage {
  return new MalformedMessage('The head of the response is malformed.')
}
