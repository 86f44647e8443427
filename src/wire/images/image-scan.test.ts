import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { ImageScan, readImageHeader } from './image-scan.ts'
import {
  GIF,
  JPEG,
  makePng,
  PNG_ALPHA,
  pngChunk,
  WEBP_EXTENDED,
  WEBP_EXTENDED_ALPHA,
  WEBP_LOSSLESS,
  WEBP_LOSSLESS_ALPHA,
  WEBP_LOSSY,
} from './testing/samples.ts'

const SIZE = { width: 11, height: 6 }
const transparentColour = pngChunk('tRNS', new Uint8Array(6))
const profile = pngChunk('iCCP', new Uint8Array(100_000))

const SAMPLES = [
  ['a PNG with alpha', PNG_ALPHA, 'image/png', true],
  ['a PNG of colours', makePng({ ...SIZE, colourType: 2 }), 'image/png', false],
  [
    'a PNG with a transparent colour',
    makePng({ ...SIZE, colourType: 2, chunks: [profile, transparentColour] }),
    'image/png',
    true,
  ],
  ['a JPEG', JPEG, 'image/jpeg', false],
  ['a lossy WebP', WEBP_LOSSY, 'image/webp', false],
  ['a lossless WebP', WEBP_LOSSLESS, 'image/webp', false],
  ['a lossless WebP with alpha', WEBP_LOSSLESS_ALPHA, 'image/webp', true],
  ['an extended WebP', WEBP_EXTENDED, 'image/webp', false],
  ['an extended WebP with alpha', WEBP_EXTENDED_ALPHA, 'image/webp', true],
] as const

const CASES = SAMPLES.map(([name, bytes, mediaType, hasAlpha]) => ({
  name,
  bytes,
  header: { mediaType, ...SIZE, hasAlpha },
}))

function scanned(...pieces: readonly Uint8Array[]): ImageScan {
  const scan = new ImageScan()
  for (const piece of pieces) scan.push(piece)
  return scan
}

describe.each(CASES)('$name', ({ bytes, header }) => {
  test('tells its type, size and alpha, and has its end', () => {
    expect(scanned(bytes)).toMatchObject({ state: 'complete', header })
    expect(readImageHeader(bytes)).toEqual(header)
  })

  test('may be followed by anything', () => {
    expect(scanned(bytes, new Uint8Array(50))).toMatchObject({ state: 'complete', header })
  })

  test('reads alike in pieces of any size', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: bytes.length }), { maxLength: 20 }), (cuts) => {
        const places = [0, ...cuts.toSorted((a, b) => a - b), bytes.length]
        const pieces = places.slice(1).map((end, index) => bytes.subarray(places[index], end))
        expect(scanned(...pieces)).toMatchObject({ state: 'complete', header })
      }),
    )
    const single = Array.from({ length: Math.min(bytes.length, 2_000) }, (_, at) =>
      bytes.subarray(at, at + 1),
    )
    expect(scanned(...single, bytes.subarray(2_000))).toMatchObject({ state: 'complete', header })
  })

  test('is never complete when it is cut off', () => {
    const step = Math.ceil(bytes.length / 700)
    for (let length = 0; length < bytes.length; length += step)
      expect(scanned(bytes.subarray(0, length)).state).toBe('reading')
    expect(scanned(bytes.subarray(0, -1)).state).toBe('reading')
  })
})

describe('what is no image of these types', () => {
  test.each([
    ['a GIF', GIF],
    ['text', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')],
    ['half a signature', Buffer.from([0x89, 0x50, 0x4e, 0x46, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0])],
    ['a RIFF that is sound', Buffer.from('RIFF\x10\0\0\0WAVEfmt ', 'latin1')],
    ['a JPEG without a frame', Buffer.from([0xff, 0xd8, 0xff, 0xd9])],
    ['a JPEG whose next marker is none', Buffer.from([0xff, 0xd8, 0x00, 0x00])],
    ['a PNG without its header', Buffer.concat([PNG_ALPHA.subarray(0, 8), PNG_ALPHA.subarray(33)])],
    ['a PNG without pixels', makePng({ width: 0, height: 6 })],
    ['a WebP that is shorter than its first chunk', shortened(WEBP_LOSSY)],
  ])('%s is broken', (_name, bytes) =>
    expect(scanned(bytes)).toMatchObject({ state: 'broken', header: null }),
  )

  test('never fails in another way, and tells no size without pixels', () => {
    const beginnings = [
      [],
      [0x89, 0x50],
      [...PNG_ALPHA.subarray(0, 16)],
      [0xff, 0xd8],
      [0xff, 0xd8, 0xff, 0xc0],
    ]
    const bytes = fc
      .tuple(
        fc.constantFrom(...beginnings, [...WEBP_LOSSY.subarray(0, 16)]),
        fc.uint8Array({ maxLength: 200 }),
      )
      .map(([beginning, rest]) => new Uint8Array([...beginning, ...rest]))
    fc.assert(
      fc.property(bytes, (image) => {
        const header = readImageHeader(image)
        expect(header === null || header.width * header.height > 0).toBe(true)
      }),
    )
  })
})

function shortened(webp: Uint8Array): Uint8Array {
  const bytes = Buffer.from(webp)
  bytes.writeUInt32LE(12, 4)
  return bytes
}

test('a size is known before the pixels come', () => {
  const png = makePng({ width: 30_000, height: 20_000, pixels: new Uint8Array(10) })
  const start = Buffer.from(png).indexOf('IDAT') + 4
  expect(scanned(png.subarray(0, start)).header).toMatchObject({ width: 30_000, height: 20_000 })
})
