import { expect, test } from 'bun:test'
import { crc32 } from 'node:zlib'
import { encodeJournalLine } from '../../rules/ledger/journal-line.ts'
import { aSettlement } from '../../vocabulary/testing/specimens.ts'
import { decodeSealedLine, SEAL_BYTES, writeSealedLine } from './segment-files.ts'

const line = { type: 'settled', settlement: aSettlement({ model: 'modèle-日本-😀' }) } as const
const text = encodeJournalLine(line)

const LINE_BREAK_BYTES = 1

/** Without the line break. */
function sealed(): Buffer {
  const bytes = Buffer.alloc(4 * text.length + SEAL_BYTES)
  return bytes.subarray(7, writeSealedLine(bytes, text, 7) - LINE_BREAK_BYTES)
}

test('reads back what was written, which is JSON with the plain CRC-32 of the line', () => {
  const written = sealed().toString()
  expect(decodeSealedLine(written)).toEqual(line)
  expect(JSON.parse(written).crc).toBe(crc32(text).toString(16).padStart(8, '0'))
})

test('reads a line without a checksum as before', () => {
  expect(decodeSealedLine(text)).toEqual(line)
})

test('a line with a flipped bit is read as written or not at all', () => {
  const bytes = sealed()
  let read = 0
  for (let bit = 0; bit < 8 * bytes.length; bit += 1) {
    const altered = Buffer.from(bytes)
    altered[bit >> 3] = (altered[bit >> 3] ?? 0) ^ (1 << (bit & 7))
    const decoded = decodeSealedLine(altered.toString())
    if (decoded === null) continue
    // Only where the name of the checksum itself was hit.
    expect(decoded).toEqual(line)
    read += 1
  }
  expect(read).toBeLessThan(8 * SEAL_BYTES)
})
