import { BYTES_PER_PIXEL, type Raster } from '../raster.ts'
import type { Chunk } from './chunks.ts'
import { COLOUR_TYPES, type ColourType } from './colour-types.ts'

/** A raster as the samples of a colour type, and the chunks that explain them. */
export interface PackedRaster {
  readonly samples: Uint8Array<ArrayBuffer>
  readonly colours: readonly Chunk[]
}

const MOST_COLOURS = 256

export function packRaster(raster: Raster, colourType: ColourType): PackedRaster {
  switch (colourType) {
    case 'grey':
      return packChannels(raster, 'grey', [0])
    case 'grey-alpha':
      return packChannels(raster, 'grey-alpha', [0, 3])
    case 'rgb':
      return packChannels(raster, 'rgb', [0, 1, 2])
    case 'rgba':
      return packChannels(raster, 'rgba', [0, 1, 2, 3])
    case 'palette':
      return packPalette(raster)
  }
}

function packChannels(raster: Raster, type: ColourType, channels: readonly number[]): PackedRaster {
  checkFit(raster, type)
  const { pixels } = raster
  const samples = new Uint8Array((pixels.length / BYTES_PER_PIXEL) * channels.length)
  let to = 0
  for (let at = 0; at < pixels.length; at += BYTES_PER_PIXEL) {
    for (const channel of channels) samples[to++] = pixels[at + channel] ?? 0
  }
  return { samples, colours: [] }
}

/** Writing less than the raster holds would be a loss that nobody asked for. */
function checkFit({ pixels }: Raster, type: ColourType): void {
  const { channels } = COLOUR_TYPES[type]
  const needsGrey = channels < 3
  const needsOpaque = channels % 2 === 1
  for (let at = 0; at < pixels.length; at += BYTES_PER_PIXEL) {
    const isGrey = pixels[at] === pixels[at + 1] && pixels[at] === pixels[at + 2]
    if (needsGrey && !isGrey) throw new RangeError(`a ${type} PNG holds no colours`)
    if (needsOpaque && pixels[at + 3] !== 255) throw new RangeError(`a ${type} PNG holds no transparency`)
  }
}

function packPalette({ pixels }: Raster): PackedRaster {
  const words = new DataView(pixels.buffer, pixels.byteOffset, pixels.byteLength)
  const indexes = new Map<number, number>()
  const samples = new Uint8Array(pixels.length / BYTES_PER_PIXEL)
  for (let pixel = 0; pixel < samples.length; pixel++) {
    const colour = words.getUint32(pixel * BYTES_PER_PIXEL)
    const index = indexes.get(colour) ?? indexes.size
    if (index === MOST_COLOURS) throw new RangeError(`a palette holds ${MOST_COLOURS} colours`)
    indexes.set(colour, index)
    samples[pixel] = index
  }
  return { samples, colours: writePalette([...indexes.keys()]) }
}

function writePalette(colours: readonly number[]): readonly Chunk[] {
  const palette = colours.flatMap((colour) => [colour >>> 24, (colour >>> 16) & 0xff, (colour >>> 8) & 0xff])
  const alphas = colours.map((colour) => colour & 0xff)
  const transparency = { type: 'tRNS', data: Uint8Array.from(alphas) }
  return [
    { type: 'PLTE', data: Uint8Array.from(palette) },
    ...(alphas.every((alpha) => alpha === 255) ? [] : [transparency]),
  ]
}
