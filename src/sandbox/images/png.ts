import { crc32, deflateSync, inflateSync } from 'node:zlib'
import { BYTES_PER_PIXEL, createRaster, hasAlpha, type ImageSize, MAX_PIXELS, type Raster } from './raster.ts'

/** The file is no PNG, is broken, or is of a kind this reader does not take; the message says which. */
export class PngError extends Error {}

export interface DecodedPng extends Raster {
  /** Whether the file can say that a pixel is transparent, even if none is. */
  readonly hasAlpha: boolean
}

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
const BITS_PER_CHANNEL = 8
const HEADER_BYTES = 13
const RGB = 2
const PALETTE = 3
const RGBA = 6
/** How many channels each way to lay out a pixel has, by its number in the file. */
const CHANNELS: Readonly<Record<number, number>> = { 0: 1, [RGB]: 3, [PALETTE]: 1, 4: 2, [RGBA]: 4 }

/**
 * Reads a PNG file with 8 bits for each channel, not interlaced. Throws a PngError for everything else. The size is
 * checked before anything is unpacked, and never more is unpacked than the size allows.
 */
export function decodePng(bytes: Uint8Array): DecodedPng {
  const chunks = readChunks(bytes)
  const header = readHeader(chunks[0])
  checkChunks(chunks)
  const rows = unpackRows(chunks, header)
  const colours = readColours(chunks, header)
  const raster = createRaster(header)
  for (let y = 0; y < header.height; y++) {
    // Each row begins with the number of its filter.
    const rowAt = y * (1 + header.width * header.channels) + 1
    for (let x = 0; x < header.width; x++) {
      const to = (y * header.width + x) * BYTES_PER_PIXEL
      colours.write({ samples: rows, at: rowAt + x * header.channels }, raster.pixels, to)
    }
  }
  return { ...raster, hasAlpha: colours.hasAlpha }
}

/** The size of an image without unpacking it. Throws a PngError as decoding it would. */
export function measurePng(bytes: Uint8Array): ImageSize {
  const { width, height } = readHeader(readChunks(bytes)[0])
  return { width, height }
}

interface Chunk {
  readonly type: string
  readonly data: Uint8Array
}

// Length, type and checksum around the data.
const FRAME_BYTES = 12
// A file of nothing but empty chunks would otherwise cost many times its size in memory.
const MAX_CHUNKS = 65_536

/** The chunks of a file up to its last one. Bytes after it are ignored. */
function readChunks(bytes: Uint8Array): readonly Chunk[] {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (!file.subarray(0, SIGNATURE.length).equals(SIGNATURE)) throw new PngError('it is not a PNG file')
  const chunks: Chunk[] = []
  for (let at = SIGNATURE.length; chunks.at(-1)?.type !== 'IEND'; ) {
    if (chunks.length === MAX_CHUNKS) throw new PngError('it has too many chunks')
    const chunk = readChunk(file, at)
    chunks.push(chunk)
    at += FRAME_BYTES + chunk.data.length
  }
  return chunks
}

function readChunk(file: Buffer, at: number): Chunk {
  if (at + FRAME_BYTES > file.length) throw new PngError('the file is cut off')
  const end = at + FRAME_BYTES + file.readUInt32BE(at)
  if (end > file.length) throw new PngError('the file is cut off')
  const type = file.toString('latin1', at + 4, at + 8)
  if (crc32(file.subarray(at + 4, end - 4)) !== file.readUInt32BE(end - 4))
    throw new PngError(`the checksum of chunk ${JSON.stringify(type)} is wrong`)
  return { type, data: file.subarray(at + 8, end - 4) }
}

const KNOWN_CRITICAL = ['IHDR', 'PLTE', 'IDAT', 'IEND']

/** A capital first letter says that a reader who does not know the chunk cannot show the image. */
function checkChunks(chunks: readonly Chunk[]): void {
  const unknown = chunks.find(({ type }) => /^[A-Z]/.test(type) && !KNOWN_CRITICAL.includes(type))
  if (unknown !== undefined) throw new PngError(`chunk ${JSON.stringify(unknown.type)} is not known`)
}

interface Header extends ImageSize {
  readonly colourType: number
  readonly channels: number
}

function readHeader(chunk: Chunk | undefined): Header {
  if (chunk?.type !== 'IHDR' || chunk.data.length !== HEADER_BYTES) throw new PngError('it has no header')
  const fields = Buffer.from(chunk.data)
  const [width, height] = [fields.readUInt32BE(0), fields.readUInt32BE(4)]
  const [bits, colourType = 0, compression, filtering, interlacing] = fields.subarray(8)
  if (width === 0 || height === 0) throw new PngError('it has no pixels')
  if (width * height > MAX_PIXELS)
    throw new PngError(`it is ${width}x${height}, and at most ${MAX_PIXELS} pixels are taken`)
  const channels = CHANNELS[colourType]
  if (channels === undefined) throw new PngError(`colour type ${colourType} does not exist`)
  if (bits !== BITS_PER_CHANNEL)
    throw new PngError(`it has ${bits} bits for each channel, and only 8 are taken`)
  if (compression !== 0 || filtering !== 0)
    throw new PngError('its compression or filter method does not exist')
  if (interlacing !== 0) throw new PngError('it is interlaced, which is not taken')
  return { width, height, colourType, channels }
}

/** The samples of all rows, each still with its filter number before it. */
function unpackRows(chunks: readonly Chunk[], { width, height, channels }: Header): Uint8Array {
  const rowBytes = 1 + width * channels
  const rows = inflate(chunks, rowBytes * height)
  let above = new Uint8Array(rowBytes - 1)
  for (let at = 0; at < rows.length; at += rowBytes) {
    const row = rows.subarray(at + 1, at + rowBytes)
    undoFilter(rows[at] ?? 0, { row, above, step: channels })
    above = row
  }
  return rows
}

function inflate(chunks: readonly Chunk[], expectedBytes: number): Uint8Array<ArrayBuffer> {
  const pieces = chunks.filter(({ type }) => type === 'IDAT').map(({ data }) => data)
  // Most files have one piece, which needs no copy.
  const packed = pieces.length === 1 ? (pieces[0] ?? Buffer.alloc(0)) : Buffer.concat(pieces)
  const rows = tryInflate(packed, expectedBytes)
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

/** A row of samples and the row above it, which is all zero for the first one. */
interface RowPair {
  readonly row: Uint8Array
  readonly above: Uint8Array
  /** Bytes for one pixel: how far to the left the neighbour of a byte is. */
  readonly step: number
}

const NO_FILTER = 0
const SUB_FILTER = 1

/** What a byte is expected to be from its neighbours, by the number of the filter in a file. */
const PREDICTIONS: readonly ((left: number, up: number, upLeft: number) => number)[] = [
  () => 0,
  (left) => left,
  (_left, up) => up,
  (left, up) => (left + up) >> 1,
  predictPaeth,
]

function predictPaeth(left: number, up: number, upLeft: number): number {
  const byLeft = Math.abs(up - upLeft)
  const byUp = Math.abs(left - upLeft)
  const byUpLeft = Math.abs(left + up - 2 * upLeft)
  if (byLeft <= byUp && byLeft <= byUpLeft) return left
  return byUp <= byUpLeft ? up : upLeft
}

/** Turns differences back into samples, in place. */
function undoFilter(filter: number, { row, above, step }: RowPair): void {
  const predict = PREDICTIONS[filter]
  if (predict === undefined) throw new PngError(`filter ${filter} does not exist`)
  if (filter === NO_FILTER) return
  for (let at = 0; at < row.length; at++) {
    const left = at < step ? 0 : (row[at - step] ?? 0)
    const upLeft = at < step ? 0 : (above[at - step] ?? 0)
    row[at] = (row[at] ?? 0) + predict(left, above[at] ?? 0, upLeft)
  }
}

/** Turns the samples of one pixel into red, green, blue and alpha. */
interface Colours {
  write(source: { readonly samples: Uint8Array; readonly at: number }, pixels: Uint8Array, to: number): void
  readonly hasAlpha: boolean
}

function readColours(chunks: readonly Chunk[], { colourType, channels }: Header): Colours {
  const transparency = chunks.find(({ type }) => type === 'tRNS')?.data ?? null
  if (colourType === PALETTE)
    return readPalette(chunks.find(({ type }) => type === 'PLTE')?.data, transparency)
  const isGrey = channels < 3
  const hasChannel = channels % 2 === 0
  const key = hasChannel ? null : readKey(transparency, channels)
  return {
    hasAlpha: hasChannel || key !== null,
    write({ samples, at }, pixels, to) {
      for (let channel = 0; channel < 3; channel++)
        pixels[to + channel] = samples[isGrey ? at : at + channel] ?? 0
      const isKey = key?.every((value, channel) => samples[at + channel] === value) ?? false
      pixels[to + 3] = hasChannel ? (samples[at + channels - 1] ?? 0) : isKey ? 0 : 255
    },
  }
}

/** The one colour declared transparent. Each value stands in two bytes, of which only the second counts here. */
function readKey(transparency: Uint8Array | null, channels: number): readonly number[] | null {
  if (transparency === null) return null
  if (transparency.length !== channels * 2) throw new PngError('its transparent colour is malformed')
  return Array.from({ length: channels }, (_, channel) => transparency[channel * 2 + 1] ?? 0)
}

const MAX_COLOURS = 256

function readPalette(colours: Uint8Array | undefined, transparency: Uint8Array | null): Colours {
  if (colours === undefined) throw new PngError('it has no palette')
  const count = colours.length / 3
  if (!Number.isInteger(count) || count === 0 || count > MAX_COLOURS)
    throw new PngError('its palette is malformed')
  return {
    hasAlpha: transparency !== null,
    write({ samples, at }, pixels, to) {
      const index = samples[at] ?? 0
      if (index >= count) throw new PngError(`colour ${index} is not in its palette`)
      pixels.set(colours.subarray(index * 3, index * 3 + 3), to)
      pixels[to + 3] = transparency?.[index] ?? 255
    },
  }
}

const QUICK_LEVEL = 3

/** Writes a PNG file, with an alpha channel only where something shows through: the same bytes for the same raster. */
export function encodePng(raster: Raster): Uint8Array<ArrayBuffer> {
  const channels = hasAlpha(raster, (alpha) => alpha !== 255) ? 4 : 3
  const header = Buffer.alloc(HEADER_BYTES)
  header.writeUInt32BE(raster.width, 0)
  header.writeUInt32BE(raster.height, 4)
  header.set([BITS_PER_CHANNEL, channels === 4 ? RGBA : RGB], 8)
  return Buffer.concat([
    SIGNATURE,
    writeChunk({ type: 'IHDR', data: header }),
    writeChunk({ type: 'IDAT', data: deflateSync(filterRows(raster, channels), { level: QUICK_LEVEL }) }),
    writeChunk({ type: 'IEND', data: new Uint8Array() }),
  ])
}

function filterRows({ width, height, pixels }: Raster, channels: number): Uint8Array {
  const rows = new Uint8Array(height * (1 + width * channels))
  let to = 0
  for (let y = 0; y < height; y++) {
    rows[to++] = SUB_FILTER
    for (let x = 0; x < width; x++) {
      const at = (y * width + x) * BYTES_PER_PIXEL
      for (let channel = 0; channel < channels; channel++) {
        const left = x === 0 ? 0 : (pixels[at + channel - BYTES_PER_PIXEL] ?? 0)
        rows[to++] = (pixels[at + channel] ?? 0) - left
      }
    }
  }
  return rows
}

function writeChunk({ type, data }: Chunk): Buffer {
  const chunk = Buffer.alloc(FRAME_BYTES + data.length)
  chunk.writeUInt32BE(data.length, 0)
  chunk.write(type, 4, 'latin1')
  chunk.set(data, 8)
  chunk.writeUInt32BE(crc32(chunk.subarray(4, 8 + data.length)), 8 + data.length)
  return chunk
}
