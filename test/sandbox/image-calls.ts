import { type PaintingWish, paint } from '../../src/sandbox/images/painting.ts'
import { decodePng, encodePng } from '../../src/sandbox/images/png.ts'
import type { ImageSize, Raster } from '../../src/sandbox/images/raster.ts'

export const SMALL: ImageSize = { width: 48, height: 32 }

/** An image that no request of these tests asks for. */
export function makeSource(size: ImageSize = SMALL): Raster {
  const wish: PaintingWish = {
    prompt: 'something else',
    variant: 7,
    mood: 'natural',
    quality: 'medium',
    isTransparent: false,
    ...size,
  }
  return paint(wish)
}

/** Transparent in its left half. */
export function makeMask({ width, height }: ImageSize = SMALL): Raster {
  const pixels = new Uint8Array(width * height * 4)
  for (let pixel = 0; pixel < width * height; pixel++) {
    pixels[pixel * 4 + 3] = pixel % width < width / 2 ? 0 : 255
  }
  return { width, height, pixels }
}

export function toFile(raster: Raster, name = 'image.png'): File {
  return new File([encodePng(raster)], name, { type: 'image/png' })
}

export function decodeBase64(base64: string | undefined): Raster {
  return decodePng(Buffer.from(base64 ?? '', 'base64'))
}

/** Whether the pixel is the same in both, by its position. */
export function comparePixels(one: Raster, other: Raster): boolean[] {
  return Array.from({ length: one.width * one.height }, (_, pixel) =>
    [0, 1, 2, 3].every((channel) => one.pixels[pixel * 4 + channel] === other.pixels[pixel * 4 + channel]),
  )
}
