import { inflateSync } from 'node:zlib'
import { createRaster, type PictureSize, type Raster } from '../raster.ts'
import { type Chunk, readChunks } from './chunks.ts'
import { COLOUR_TYPES } from './colour-types.ts'
import { readColours } from './colours.ts'
import { undoFilter } from './filters.ts'
import { type Header, readHeader } from './header.ts'
import { PngError } from './png-error.ts'

export interface DecodedPng extends Raster {
  /** Whether the file can say that a pixel is transparent, even if none is. */
  readonly hasAlpha: boolean
}

/**
 * Reads a PNG file with 8 bits for each channel, not interlaced. Throws a PngError for everything else. The size is
 * checked before anything is unpacked, and never more is unpacked than the size allows.
 */
export function decodePng(bytes: Uint8Array): DecodedPng {
  const chunks = readChunks(bytes)
  const header = readHeader(chunks[0])
  checkChunks(chunks)
  const rows = unpackRows(chunks, header)
  const colours = readColours(chunks, header.colourType)
  const raster = createRaster(header)
  const { channels } = COLOUR_TYPES[header.colourType]
  for (let y = 0; y < header.height; y++) {
    // Each row begins with the number of its filter.
    const rowAt = y * (1 + header.width * channels) + 1
    for (let x = 0; x < header.width; x++) {
      colours.write({ samples: rows, at: rowAt + x * channels }, raster.pixels, (y * header.width + x) * 4)
    }
  }
  return { ...raster, hasAlpha: colours.hasAlpha }
}

/** The size of a picture without unpacking it. Throws a PngError as decoding it would. */
export function measurePng(bytes: Uint8Array): PictureSize {
  const { width, height } = readHeader(readChunks(bytes)[0])
  return { width, height }
}

const KNOWN_CRITICAL = ['IHDR', 'PLTE', 'IDAT', 'IEND']

/** A capital first letter says that a reader who does not know the chunk cannot show the picture. */
function checkChunks(chunks: readonly Chunk[]): void {
  const unknown = chunks.find(({ type }) => /^[A-Z]/.test(type) && !KNOWN_CRITICAL.includes(type))
  if (unknown !== undefined) throw new PngError(`chunk ${JSON.stringify(unknown.type)} is not known`)
}

/** The samples of all rows, each still with its filter number before it. */
function unpackRows(chunks: readonly Chunk[], { width, height, colourType }: Header): Uint8Array {
  const step = COLOUR_TYPES[colourType].channels
  const rowBytes = 1 + width * step
  const rows = inflate(chunks, rowBytes * height)
  let above = new Uint8Array(rowBytes - 1)
  for (let at = 0; at < rows.length; at += rowBytes) {
    const row = rows.subarray(at + 1, at + rowBytes)
    undoFilter(rows[at] ?? 0, { row, above, step })
    above = row
  }
  return rows
}

function inflate(chunks: readonly Chunk[], expectedBytes: number): Uint8Array<ArrayBuffer> {
  const pieces = chunks.filter(({ type }) => type === 'IDAT').map(({ data }) => data)
  // Most files have one piece, which needs no copy.
  const rows = tryInflate(
    pieces.length === 1 ? (pieces[0] ?? Buffer.alloc(0)) : Buffer.concat(pieces),
    expectedBytes,
  )
  if (rows === null) throw new PngError('its pixels cannot be unpacked')
  if (rows.length < expectedBytes) throw new PngError('it has fewer pixels than its header says')
  return rows
}

/** null when the bytes are broken or unpack to more than was expected. */
function tryInflate(packed: Uint8Array, maxOutputLength: number): Uint8Array<ArrayBuffer> | null {
  try {
    return inflateSync(packed, { maxOutputLength })
  } catch {
    return null
  }
}
