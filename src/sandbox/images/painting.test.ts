import { describe, expect, test } from 'bun:test'
import { editImage, type PaintingWish, paint } from './painting.ts'
import { encodePng } from './png.ts'
import { createRaster, hasAlpha, type Raster } from './raster.ts'

const SIZE = { width: 40, height: 30 }
const WISH = {
  prompt: 'a hat',
  variant: 0,
  mood: 'vivid',
  quality: 'medium',
  isTransparent: false,
  ...SIZE,
} as const

const source = paint({ ...WISH, prompt: 'a portrait' })
const painting = paint(WISH)

/** Pixel for pixel, as numbers that can be compared. */
function words(raster: Raster): number[] {
  const view = new DataView(raster.pixels.buffer, raster.pixels.byteOffset, raster.pixels.byteLength)
  return Array.from({ length: raster.width * raster.height }, (_, pixel) => view.getUint32(pixel * 4))
}

function withAlpha(raster: Raster, alphaOf: (x: number, y: number) => number): Raster {
  const copy = { ...raster, pixels: raster.pixels.slice() }
  for (let pixel = 0; pixel < raster.width * raster.height; pixel++) {
    copy.pixels[pixel * 4 + 3] = alphaOf(pixel % raster.width, Math.floor(pixel / raster.width))
  }
  return copy
}

const isInside = (x: number, y: number) => x >= 10 && x < 25 && y >= 5 && y < 20

describe('only the marked part changes', () => {
  function expectOnlyInside(edited: Raster, base: Raster): void {
    const [after, before, painted] = [words(edited), words(base), words(painting)]
    after.forEach((word, pixel) => {
      const inside = isInside(pixel % SIZE.width, Math.floor(pixel / SIZE.width))
      expect(word).toBe((inside ? painted : before)[pixel] ?? -1)
    })
    expect(after).not.toEqual(before)
  }

  test('where the mask is transparent', () => {
    const mask = withAlpha(createRaster(SIZE), (x, y) => (isInside(x, y) ? 0 : 255))
    expectOnlyInside(editImage({ sources: [source], mask }, WISH), source)
  })

  test('a mask that is only nearly transparent marks nothing', () => {
    const mask = withAlpha(createRaster(SIZE), () => 1)
    expect(words(editImage({ sources: [source], mask }, WISH))).toEqual(words(source))
  })

  test('without a mask, where the image itself is transparent', () => {
    const holed = withAlpha(source, (x, y) => (isInside(x, y) ? 0 : 200))
    expectOnlyInside(editImage({ sources: [holed], mask: null }, WISH), holed)
  })

  test('a mask counts, and not the holes beside it', () => {
    const holed = withAlpha(source, (x) => (x < 3 ? 0 : 255))
    const mask = withAlpha(createRaster(SIZE), (x, y) => (isInside(x, y) ? 0 : 255))
    expectOnlyInside(editImage({ sources: [holed], mask }, WISH), holed)
  })
})

test('without any mark everything changes, and the source still shows', () => {
  const edited = editImage({ sources: [source], mask: null }, WISH)
  edited.pixels.forEach((value, at) => {
    const [from, to] = [source.pixels[at] ?? 0, painting.pixels[at] ?? 0]
    expect(Math.abs(value - (from * 0.55 + to * 0.45))).toBeLessThanOrEqual(0.5001)
  })
})

test('further source images influence the edit', () => {
  const other = paint({ ...WISH, prompt: 'a boat' })
  const alone = editImage({ sources: [source], mask: null }, WISH)
  const both = editImage({ sources: [source, other], mask: null }, WISH)
  expect(words(both)).not.toEqual(words(alone))
})

test('another size is made of the same parts', () => {
  const mask = withAlpha(createRaster(SIZE), (x) => (x < SIZE.width / 2 ? 0 : 255))
  const large = { ...WISH, width: 80, height: 60 }
  const edited = editImage({ sources: [source], mask }, large)
  expect(edited).toMatchObject({ width: 80, height: 60 })
  const repainted = words(paint(large))
  const isPainted = words(edited).map((word, pixel) => word === repainted[pixel])
  expect(isPainted.filter((_, pixel) => pixel % 80 < 39).every(Boolean)).toBe(true)
  expect(isPainted.filter((_, pixel) => pixel % 80 > 40).every((painted) => !painted)).toBe(true)
})

describe('a painting', () => {
  const wish = (fields: Partial<PaintingWish>): PaintingWish => ({ ...WISH, ...fields })

  test('is the same for the same wish, and another one for every other wish', () => {
    const wishes: Partial<PaintingWish>[] = [
      {},
      { prompt: 'a hat.' },
      { prompt: '' },
      { variant: 1 },
      { mood: 'natural' },
      { quality: 'high' },
    ]
    const files = wishes.map((fields) => Buffer.from(encodePng(paint(wish(fields)))).toString('base64'))
    expect(new Set(files).size).toBe(wishes.length)
    expect(Buffer.from(encodePng(paint(wish({})))).toString('base64')).toBe(files[0] ?? '')
  })

  test('covers everything and is not of one colour', () => {
    expect(hasAlpha(painting, (alpha) => alpha !== 255)).toBe(false)
    expect(new Set(words(painting)).size).toBeGreaterThan(8)
  })

  test('leaves only its middle when the background is to be transparent', () => {
    const cut = paint(wish({ isTransparent: true }))
    const alphaAt = (x: number, y: number) => cut.pixels[(y * cut.width + x) * 4 + 3]
    expect(alphaAt(0, 0)).toBe(0)
    expect(alphaAt(SIZE.width / 2, SIZE.height / 2)).toBe(255)
  })

  test.each([
    { width: 1, height: 1 },
    { width: 300, height: 2 },
    { width: 3, height: 200 },
  ])('is $width by $height when that is asked for', (size) => {
    const image = paint(wish(size))
    expect(image).toMatchObject(size)
    expect(image.pixels).toHaveLength(size.width * size.height * 4)
  })
})
