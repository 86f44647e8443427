import { MOST_PIXELS } from '../raster.ts'
import type { Chunk } from './chunks.ts'
import { COLOUR_TYPES, type ColourType, findColourType } from './colour-types.ts'
import { PngError } from './png-error.ts'

export interface Header {
  readonly width: number
  readonly height: number
  readonly colourType: ColourType
}

const HEADER_BYTES = 13
const BITS_PER_CHANNEL = 8

export function readHeader(chunk: Chunk | undefined): Header {
  if (chunk?.type !== 'IHDR' || chunk.data.length !== HEADER_BYTES) throw new PngError('it has no header')
  const fields = Buffer.from(chunk.data)
  const [width, height] = [fields.readUInt32BE(0), fields.readUInt32BE(4)]
  if (width === 0 || height === 0) throw new PngError('it has no pixels')
  if (width * height > MOST_PIXELS)
    throw new PngError(`it is ${width}x${height}, and at most ${MOST_PIXELS} pixels are taken`)
  const colourType = findColourType(fields.readUInt8(9))
  if (colourType === null) throw new PngError(`colour type ${fields.readUInt8(9)} does not exist`)
  if (fields.readUInt8(8) !== BITS_PER_CHANNEL)
    throw new PngError(`it has ${fields.readUInt8(8)} bits for each channel, and only 8 are taken`)
  if (fields.readUInt8(10) !== 0 || fields.readUInt8(11) !== 0)
    throw new PngError('its compression or filter method does not exist')
  if (fields.readUInt8(12) !== 0) throw new PngError('it is interlaced, which is not taken')
  return { width, height, colourType }
}

export function writeHeader({ width, height, colourType }: Header): Chunk {
  const data = Buffer.alloc(HEADER_BYTES)
  data.writeUInt32BE(width, 0)
  data.writeUInt32BE(height, 4)
  data.writeUInt8(BITS_PER_CHANNEL, 8)
  data.writeUInt8(COLOUR_TYPES[colourType].code, 9)
  return { type: 'IHDR', data }
}
