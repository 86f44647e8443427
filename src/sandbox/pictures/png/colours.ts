import type { Chunk } from './chunks.ts'
import type { ColourType } from './colour-types.ts'
import { PngError } from './png-error.ts'

/** Turns the samples of one pixel into red, green, blue and alpha. */
export interface Colours {
  write(source: Samples, pixels: Uint8Array, to: number): void
  readonly hasAlpha: boolean
}

interface Samples {
  readonly samples: Uint8Array
  readonly at: number
}

export function readColours(chunks: readonly Chunk[], colourType: ColourType): Colours {
  const transparency = chunks.find(({ type }) => type === 'tRNS')?.data ?? null
  switch (colourType) {
    case 'grey':
      return readGrey(transparency)
    case 'rgb':
      return readRgb(transparency)
    case 'palette':
      return readPalette(chunks.find(({ type }) => type === 'PLTE')?.data, transparency)
    case 'grey-alpha':
      return { hasAlpha: true, write: writeGreyAlpha }
    case 'rgba':
      return { hasAlpha: true, write: writeRgba }
  }
}

function writeGreyAlpha({ samples, at }: Samples, pixels: Uint8Array, to: number): void {
  pixels.fill(samples[at] ?? 0, to, to + 3)
  pixels[to + 3] = samples[at + 1] ?? 0
}

function writeRgba({ samples, at }: Samples, pixels: Uint8Array, to: number): void {
  for (let channel = 0; channel < 4; channel++) pixels[to + channel] = samples[at + channel] ?? 0
}

/** One grey may be declared transparent. */
function readGrey(transparency: Uint8Array | null): Colours {
  const key = readKey(transparency, 1)?.[0] ?? null
  return {
    hasAlpha: key !== null,
    write({ samples, at }, pixels, to) {
      const grey = samples[at] ?? 0
      pixels.fill(grey, to, to + 3)
      pixels[to + 3] = grey === key ? 0 : 255
    },
  }
}

/** One colour may be declared transparent. */
function readRgb(transparency: Uint8Array | null): Colours {
  const key = readKey(transparency, 3)
  return {
    hasAlpha: key !== null,
    write({ samples, at }, pixels, to) {
      for (let channel = 0; channel < 3; channel++) pixels[to + channel] = samples[at + channel] ?? 0
      const isKey = key?.every((value, channel) => samples[at + channel] === value) ?? false
      pixels[to + 3] = isKey ? 0 : 255
    },
  }
}

/** Each value stands in two bytes, of which only the second counts at this depth. */
function readKey(transparency: Uint8Array | null, channels: number): readonly number[] | null {
  if (transparency === null) return null
  if (transparency.length !== channels * 2) throw new PngError('its transparent colour is malformed')
  return Array.from({ length: channels }, (_, channel) => transparency[channel * 2 + 1] ?? 0)
}

const MOST_COLOURS = 256

function readPalette(colours: Uint8Array | undefined, transparency: Uint8Array | null): Colours {
  if (colours === undefined) throw new PngError('it has no palette')
  const count = colours.length / 3
  if (!Number.isInteger(count) || count === 0 || count > MOST_COLOURS)
    throw new PngError('its palette is malformed')
  return {
    hasAlpha: transparency !== null,
    write({ samples, at }, pixels, to) {
      const index = samples[at] ?? 0
      if (index >= count) throw new PngError(`colour ${index} is not in its palette`)
      for (let channel = 0; channel < 3; channel++) pixels[to + channel] = colours[index * 3 + channel] ?? 0
      pixels[to + 3] = transparency?.[index] ?? 255
    },
  }
}
