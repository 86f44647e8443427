import { describe, expect, test } from 'bun:test'
import { deflateSync } from 'node:zlib'
import fc from 'fast-check'
import { decodePng, encodePng, PngError } from './png.ts'
import type { Raster } from './raster.ts'
import { type HandMadePng, joinChunks, makePng } from './testing/hand-made-png.ts'

const GREY = 0
const RGB = 2
const PALETTE = 3
const GREY_ALPHA = 4
const RGBA = 6

/** Greys of a file, row after row. */
function readGreys(png: Omit<HandMadePng, 'colourType'>): number[] {
  const { pixels } = decodePng(makePng({ ...png, colourType: GREY }))
  return [...pixels].filter((_, at) => at % 4 === 0)
}

describe('each filter gives back the samples', () => {
  const size = { width: 3, height: 2 }
  const samples = [10, 20, 30, 40, 60, 90]

  test.each([
    ['none', [0, 10, 20, 30, 0, 40, 60, 90]],
    ['sub', [1, 10, 10, 10, 1, 40, 20, 30]],
    ['up', [2, 10, 20, 30, 2, 30, 40, 60]],
    ['average', [3, 10, 15, 20, 3, 35, 30, 45]],
    ['paeth', [4, 10, 10, 10, 4, 30, 20, 30]],
    ['a different one in each row', [1, 10, 10, 10, 4, 30, 20, 30]],
  ])('%s', (_name, rows) => {
    expect(readGreys({ ...size, rows })).toEqual(samples)
  })

  test('paeth from above left', () => {
    const rows = [4, 30, 20, 4, 236, 47]
    expect(readGreys({ width: 2, height: 2, rows })).toEqual([30, 50, 10, 77])
  })

  test('sums begin again after 255', () => {
    expect(readGreys({ width: 2, height: 1, rows: [1, 200, 66] })).toEqual([200, 10])
  })

  test('the neighbour of a byte is that of the pixel before it', () => {
    const png = makePng({ width: 2, height: 1, colourType: RGB, rows: [1, 1, 2, 3, 10, 20, 30] })
    expect([...decodePng(png).pixels]).toEqual([1, 2, 3, 255, 11, 22, 33, 255])
  })
})

describe('each colour type', () => {
  const one = { width: 1, height: 1 }

  test.each<[string, HandMadePng, number[]]>([
    ['grey', { ...one, colourType: GREY, rows: [0, 7] }, [7, 7, 7, 255]],
    ['rgb', { ...one, colourType: RGB, rows: [0, 7, 8, 9] }, [7, 8, 9, 255]],
    ['grey and alpha', { ...one, colourType: GREY_ALPHA, rows: [0, 7, 8] }, [7, 7, 7, 8]],
    ['rgb and alpha', { ...one, colourType: RGBA, rows: [0, 7, 8, 9, 10] }, [7, 8, 9, 10]],
    [
      'palette',
      { ...one, colourType: PALETTE, rows: [0, 1], chunks: [['PLTE', [1, 2, 3, 4, 5, 6]]] },
      [4, 5, 6, 255],
    ],
  ])('%s', (name, png, pixels) => {
    const decoded = decodePng(makePng(png))
    expect([...decoded.pixels]).toEqual(pixels)
    expect(decoded).toMatchObject({ width: 1, height: 1, hasAlpha: name.endsWith('alpha') })
  })

  test.each<[string, HandMadePng, number[]]>([
    [
      'a grey that is transparent',
      { width: 2, height: 1, colourType: GREY, rows: [0, 7, 8], chunks: [['tRNS', [0, 8]]] },
      [255, 0],
    ],
    [
      'a colour that is transparent',
      {
        width: 2,
        height: 1,
        colourType: RGB,
        rows: [0, 1, 2, 3, 1, 2, 4],
        chunks: [['tRNS', [0, 1, 0, 2, 0, 3]]],
      },
      [0, 255],
    ],
    [
      'a palette with transparency for some',
      {
        width: 2,
        height: 1,
        colourType: PALETTE,
        rows: [0, 0, 1],
        chunks: [
          ['PLTE', [1, 2, 3, 4, 5, 6]],
          ['tRNS', [9]],
        ],
      },
      [9, 255],
    ],
  ])('%s', (_name, png, alphas) => {
    const { pixels, hasAlpha } = decodePng(makePng(png))
    expect([...pixels].filter((_, at) => at % 4 === 3)).toEqual(alphas)
    expect(hasAlpha).toBe(true)
  })

  test('a file that another program wrote, its pixels in several chunks or not', () => {
    const file =
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
    expect(decodePng(Buffer.from(file, 'base64'))).toMatchObject({ width: 1, height: 1, hasAlpha: true })
    const packed = deflateSync(Buffer.from([0, 5, 6]))
    const whole = makePng({ width: 2, height: 1, colourType: GREY, rows: [0, 5, 6] })
    const split = joinChunks(
      ['IHDR', whole.subarray(16, 29)],
      ['tEXt', Buffer.from('Title\0none')],
      ['IDAT', packed.subarray(0, 3)],
      ['IDAT', packed.subarray(3)],
      ['IEND', Buffer.alloc(0)],
    )
    expect(decodePng(split).pixels).toEqual(decodePng(whole).pixels)
  })
})

describe('what cannot be read is refused', () => {
  const good: HandMadePng = { width: 3, height: 2, colourType: GREY, rows: [0, 1, 2, 3, 0, 4, 5, 6] }

  test.each<[string, Uint8Array]>([
    ['not a PNG', Buffer.alloc(0)],
    ['not a PNG', Buffer.from('GIF89a and more')],
    ['cut off', makePng(good).subarray(0, 8)],
    ['cut off', makePng(good).subarray(0, 40)],
    ['cut off', makePng(good).subarray(0, -12)],
    ['checksum', alter(makePng(good), 20)],
    ['no header', joinChunks(['IDAT', Buffer.alloc(3)], ['IEND', Buffer.alloc(0)])],
    ['no pixels', makePng({ ...good, width: 0 })],
    ['30000x30000', makePng({ ...good, width: 30_000, height: 30_000 })],
    ['4294967295', makePng({ ...good, width: 0xffff_ffff, height: 0xffff_ffff })],
    ['colour type 5', makePng({ ...good, colourType: 5 })],
    ['16 bits', makePng({ ...good, bits: 16 })],
    ['interlaced', makePng({ ...good, interlace: 1 })],
    ['filter 5', makePng({ ...good, rows: [5, 1, 2, 3, 0, 4, 5, 6] })],
    ['fewer pixels', makePng({ ...good, rows: [0, 1, 2, 3] })],
    ['unpacked', makePng({ ...good, rows: [...good.rows, 0] })],
    ['no palette', makePng({ ...good, colourType: PALETTE })],
    ['palette is malformed', makePng({ ...good, colourType: PALETTE, chunks: [['PLTE', [1, 2]]] })],
    ['colour 2 is not', makePng({ ...good, colourType: PALETTE, chunks: [['PLTE', [1, 2, 3, 4, 5, 6]]] })],
    ['transparent colour', makePng({ ...good, chunks: [['tRNS', [1]]] })],
    ['"ABCD" is not known', makePng({ ...good, chunks: [['ABCD', []]] })],
    ['unpacked', joinChunks(headerOf(good), ['IDAT', Buffer.from('no zlib')], ['IEND', Buffer.alloc(0)])],
    ['unpacked', joinChunks(headerOf(good), ['IEND', Buffer.alloc(0)])],
    ['too many chunks', joinChunks(headerOf(good), ...Array(70_000).fill(['tEXt', Buffer.alloc(0)]))],
  ])('%s', (words, file) => {
    expect(() => decodePng(file)).toThrow(PngError)
    expect(() => decodePng(file)).toThrow(words)
  })

  test('a small file that would unpack to 100 MB', () => {
    const bomb = joinChunks(
      headerOf(good),
      ['IDAT', deflateSync(Buffer.alloc(100_000_000))],
      ['IEND', Buffer.alloc(0)],
    )
    expect(bomb.length).toBeLessThan(200_000)
    expect(() => decodePng(bomb)).toThrow('unpacked')
  })

  test('a file with any byte changed or any part missing is read or refused, and never anything else', () => {
    const file = makePng({ ...good, colourType: RGB, rows: Array(20).fill(0) })
    const damage = fc.oneof(
      fc.nat(file.length).map((length) => file.subarray(0, length)),
      fc
        .tuple(fc.nat(file.length - 1), fc.integer({ min: 1, max: 255 }))
        .map(([at, by]) => alter(file, at, by)),
    )
    fc.assert(
      fc.property(damage, (damaged) => {
        const outcome = tryDecode(damaged)
        expect(outcome === 'refused' || outcome.width * outcome.height === 6).toBe(true)
      }),
      { numRuns: 500 },
    )
  })
})

function headerOf(png: HandMadePng): ['IHDR', Uint8Array] {
  return ['IHDR', makePng(png).subarray(16, 29)]
}

function alter(file: Buffer, at: number, by = 1): Buffer {
  const altered = Buffer.from(file)
  altered[at] = (altered[at] ?? 0) + by
  return altered
}

function tryDecode(file: Uint8Array) {
  try {
    return decodePng(file)
  } catch (error) {
    if (error instanceof PngError) return 'refused'
    throw error
  }
}

describe('an encoded raster', () => {
  type Pixel = readonly [red: number, green: number, blue: number, alpha: number]

  const byte = fc.nat(255)
  const opaque: fc.Arbitrary<Pixel> = fc.tuple(byte, byte, byte, fc.constant(255))
  const clear: fc.Arbitrary<Pixel> = fc.tuple(byte, byte, byte, fc.nat(254))

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

  test.each([
    ['without transparency', opaque, false],
    ['with transparency', clear, true],
  ])('comes back as it was, %s, with an alpha channel where it needs one', (_name, pixel, hasAlpha) => {
    fc.assert(
      fc.property(rasters(pixel), (raster) => {
        expect(decodePng(encodePng(raster))).toMatchObject({ ...raster, hasAlpha })
      }),
    )
  })
})
