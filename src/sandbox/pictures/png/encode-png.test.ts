import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { createRaster, type Raster } from '../raster.ts'
import type { ColourType } from './colour-types.ts'
import { decodePng } from './decode-png.ts'
import { encodePng } from './encode-png.ts'

type Pixel = readonly [red: number, green: number, blue: number, alpha: number]

const byte = fc.nat(255)
/** What each colour type can hold. */
const PIXELS: Readonly<Record<ColourType, fc.Arbitrary<Pixel>>> = {
  grey: byte.map((grey) => [grey, grey, grey, 255]),
  'grey-alpha': fc.tuple(byte, byte).map(([grey, alpha]) => [grey, grey, grey, alpha]),
  rgb: fc.tuple(byte, byte, byte, fc.constant(255)),
  rgba: fc.tuple(byte, byte, byte, byte),
  palette: fc.tuple(byte, byte, byte, byte),
}

function rasters(pixel: fc.Arbitrary<Pixel>): fc.Arbitrary<Raster> {
  const edge = fc.integer({ min: 1, max: 12 })
  return fc
    .tuple(edge, edge)
    .chain(([width, height]) =>
      fc
        .array(pixel, { minLength: width * height, maxLength: width * height })
        .map((pixels) => ({ width, height, pixels: Uint8Array.from(pixels.flat()) })),
    )
}

describe('a raster comes back from its file as it was', () => {
  test.each(Object.keys(PIXELS) as ColourType[])('%s', (colourType) => {
    fc.assert(
      fc.property(rasters(PIXELS[colourType]), (raster) => {
        expect(decodePng(encodePng(raster, { colourType }))).toMatchObject(raster)
      }),
    )
  })

  test.each(['none', 'sub', 'up', 'average', 'paeth'] as const)('with filter %s', (filter) => {
    fc.assert(
      fc.property(rasters(PIXELS.rgba), (raster) => {
        expect(decodePng(encodePng(raster, { filters: [filter] }))).toMatchObject(raster)
      }),
    )
  })

  test('without a colour type', () => {
    fc.assert(
      fc.property(fc.oneof(rasters(PIXELS.rgb), rasters(PIXELS.rgba)), (raster) => {
        expect(decodePng(encodePng(raster))).toMatchObject(raster)
      }),
    )
  })
})

test('only what can be transparent has an alpha channel', () => {
  const raster = createRaster({ width: 2, height: 2 })
  expect(decodePng(encodePng(raster)).hasAlpha).toBe(true)
  expect(decodePng(encodePng({ ...raster, pixels: raster.pixels.fill(255) })).hasAlpha).toBe(false)
})

test.each<[ColourType, Pixel, string]>([
  ['grey', [1, 2, 3, 255], 'no colours'],
  ['grey', [1, 1, 1, 254], 'no transparency'],
  ['grey-alpha', [1, 1, 2, 0], 'no colours'],
  ['rgb', [1, 2, 3, 0], 'no transparency'],
])('%s does not lose anything silently', (colourType, pixel, words) => {
  const raster = { width: 1, height: 1, pixels: Uint8Array.from(pixel) }
  expect(() => encodePng(raster, { colourType })).toThrow(words)
})

test('a palette has no room for a 257th colour', () => {
  const colours = (count: number) => ({
    width: count,
    height: 1,
    pixels: Uint8Array.from(Array.from({ length: count }, (_, at) => [at % 256, at >> 8, 0, 255]).flat()),
  })
  expect(decodePng(encodePng(colours(256), { colourType: 'palette' }))).toMatchObject(colours(256))
  expect(() => encodePng(colours(257), { colourType: 'palette' })).toThrow('256 colours')
})
