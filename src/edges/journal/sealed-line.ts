import { decodeJournalLine, type JournalLine } from '../../rules/ledger/journal-line.ts'

const FIELD = ',"crc":"'
const DIGITS = 8
const END = Buffer.from(`${FIELD}${'0'.repeat(DIGITS)}"}`)
const HEX = Buffer.from('0123456789abcdef')
/** How much longer than its text a line may get. */
export const SEAL_BYTES = END.length

/**
 * Writes a line with a checksum as its last field and gives where it ends. Without it a flipped bit in a digit would
 * still be JSON, and somebody would be charged another amount. Versions that know nothing of it read the line as before.
 * The text is that of an object. This runs for every request, so no second text is made.
 */
export function writeSealedLine(bytes: Buffer, text: string, offset: number): number {
  // In place of the brace that closes the object.
  const end = offset + bytes.write(text, offset) - 1
  let checksum = Bun.hash.crc32(text)
  for (let index = FIELD.length + DIGITS - 1; index >= FIELD.length; index -= 1) {
    END[index] = HEX[checksum & 15] ?? 0
    checksum >>>= 4
  }
  bytes.set(END, end)
  return end + END.length
}

/** null for a line that was cut short, altered on the disk, or is none. Lines of earlier versions have no checksum. */
export function decodeSealedLine(text: string): JournalLine | null {
  return isIntact(text) ? decodeJournalLine(text) : null
}

function isIntact(text: string): boolean {
  if (text.slice(-END.length, FIELD.length - END.length) !== FIELD) return true
  const digits = text.slice(-DIGITS - 2, -2)
  return Bun.hash.crc32(`${text.slice(0, -END.length)}}`) === Number.parseInt(digits, 16)
}
