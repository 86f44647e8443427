import { createHash } from 'node:crypto'
import { BYTES_PER_PIXEL, createRaster, hasAlpha, type ImageSize, type Raster } from './raster.ts'

export interface PaintingWish extends ImageSize {
  readonly prompt: string
  /** Several images of one prompt differ by their number, counted from 0. */
  readonly variant: number
  readonly mood: 'vivid' | 'natural'
  readonly quality: 'low' | 'medium' | 'high'
  /** Leaves out everything but a round patch in the middle. */
  readonly isTransparent: boolean
}

/** How far the colours run from one edge to the other. */
const GRADIENT = 96

/** Paints a gradient whose colours follow from the wish: always the same for the same wish. */
export function paint(wish: PaintingWish): Raster {
  const seed = `${wish.variant}\n${wish.mood}\n${wish.quality}\n${wish.prompt}`
  const [red = 0, green = 0, blue = 0] = createHash('sha256').update(seed).digest()
  const raster = createRaster(wish)
  const start = (colour: number) => (colour * (255 - GRADIENT)) / 255
  for (let pixel = 0; pixel < wish.width * wish.height; pixel++) {
    const across = ((pixel % wish.width) + 0.5) / wish.width
    const down = (Math.floor(pixel / wish.width) + 0.5) / wish.height
    const at = pixel * BYTES_PER_PIXEL
    raster.pixels[at] = start(red) + GRADIENT * across
    raster.pixels[at + 1] = start(green) + GRADIENT * down
    raster.pixels[at + 2] = blue
    const isGround = (across - 0.5) ** 2 + (down - 0.5) ** 2 > 0.16
    raster.pixels[at + 3] = wish.isTransparent && isGround ? 0 : 255
  }
  return raster
}

interface EditMaterial {
  /** The image to change, then those that lend something to the change. */
  readonly sources: readonly [Raster, ...Raster[]]
  /** As large as the first source; fully transparent where the change is wanted. */
  readonly mask: Raster | null
}

/** How much of a new painting shows where nothing said which part to change. */
const OVERALL_SHARE = 0.45
const LENT_SHARE = 0.5

/**
 * Paints over an image: within the mask, or within the image's own transparent parts, or, where it has none, all over,
 * so that the source still shows.
 */
export function editImage({ sources, mask }: EditMaterial, wish: PaintingWish): Raster {
  const [first, ...others] = sources
  const base = scale(first, wish)
  const painting = others.reduce(
    (painted, other) => mix(painted, scale(other, wish), () => LENT_SHARE),
    paint(wish),
  )
  const stencil = mask === null ? base : scale(mask, wish)
  if (mask === null && !hasAlpha(base, (alpha) => alpha === 0))
    return mix(base, painting, () => OVERALL_SHARE)
  return mix(base, painting, (pixel) => (stencil.pixels[pixel * BYTES_PER_PIXEL + 3] === 0 ? 1 : 0))
}

/** `shareOf` says how much of the other raster each pixel takes. */
function mix(one: Raster, other: Raster, shareOf: (pixel: number) => number): Raster {
  const mixed = createRaster(one)
  for (let at = 0; at < mixed.pixels.length; at++) {
    const from = one.pixels[at] ?? 0
    const share = shareOf(Math.floor(at / BYTES_PER_PIXEL))
    mixed.pixels[at] = from + ((other.pixels[at] ?? 0) - from) * share + 0.5
  }
  return mixed
}

/** Takes the nearest pixel of the source for each pixel of the result. */
function scale(raster: Raster, size: ImageSize): Raster {
  if (raster.width === size.width && raster.height === size.height) return raster
  const scaled = createRaster(size)
  for (let pixel = 0; pixel < size.width * size.height; pixel++) {
    const x = Math.floor(((pixel % size.width) * raster.width) / size.width)
    const y = Math.floor((Math.floor(pixel / size.width) * raster.height) / size.height)
    const from = (y * raster.width + x) * BYTES_PER_PIXEL
    scaled.pixels.set(raster.pixels.subarray(from, from + BYTES_PER_PIXEL), pixel * BYTES_PER_PIXEL)
  }
  return scaled
}
