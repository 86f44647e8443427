import { describe, expect, test } from 'bun:test'
import { editPicture } from './edit-picture.ts'
import { paintPicture } from './paint/paint-picture.ts'
import { createRaster, type Raster } from './raster.ts'

const SIZE = { width: 40, height: 30 }
const WISH = { prompt: 'a hat', variant: 0, mood: 'vivid', detail: 1, isTransparent: false, ...SIZE } as const

const source = paintPicture({ ...WISH, prompt: 'a portrait' })
const painting = paintPicture(WISH)

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
    expectOnlyInside(editPicture({ sources: [source], mask }, WISH), source)
  })

  test('a mask that is only nearly transparent marks nothing', () => {
    const mask = withAlpha(createRaster(SIZE), () => 1)
    expect(words(editPicture({ sources: [source], mask }, WISH))).toEqual(words(source))
  })

  test('without a mask, where the picture itself is transparent', () => {
    const holed = withAlpha(source, (x, y) => (isInside(x, y) ? 0 : 200))
    expectOnlyInside(editPicture({ sources: [holed], mask: null }, WISH), holed)
  })

  test('a mask counts, and not the holes beside it', () => {
    const holed = withAlpha(source, (x) => (x < 3 ? 0 : 255))
    const mask = withAlpha(createRaster(SIZE), (x, y) => (isInside(x, y) ? 0 : 255))
    expectOnlyInside(editPicture({ sources: [holed], mask }, WISH), holed)
  })
})

test('without any mark everything changes, and the source still shows', () => {
  const edited = editPicture({ sources: [source], mask: null }, WISH)
  edited.pixels.forEach((value, at) => {
    const [from, to] = [source.pixels[at] ?? 0, painting.pixels[at] ?? 0]
    expect(Math.abs(value - (from * 0.55 + to * 0.45))).toBeLessThanOrEqual(0.5001)
  })
})

test('further pictures lend something to the change', () => {
  const other = paintPicture({ ...WISH, prompt: 'a boat' })
  const alone = editPicture({ sources: [source], mask: null }, WISH)
  const both = editPicture({ sources: [source, other], mask: null }, WISH)
  expect(words(both)).not.toEqual(words(alone))
})

test('another size is made of the same parts', () => {
  const mask = withAlpha(createRaster(SIZE), (x) => (x < SIZE.width / 2 ? 0 : 255))
  const large = { ...WISH, width: 80, height: 60 }
  const edited = editPicture({ sources: [source], mask }, large)
  expect(edited).toMatchObject({ width: 80, height: 60 })
  const repainted = words(paintPicture(large))
  const isPainted = words(edited).map((word, pixel) => word === repainted[pixel])
  expect(isPainted.filter((_, pixel) => pixel % 80 < 39).every(Boolean)).toBe(true)
  expect(isPainted.filter((_, pixel) => pixel % 80 > 40).every((painted) => !painted)).toBe(true)
})
