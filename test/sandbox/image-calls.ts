import { type PaintingWish, paintPicture } from '../../src/sandbox/pictures/paint/paint-picture.ts'
import { decodePng } from '../../src/sandbox/pictures/png/decode-png.ts'
import { encodePng } from '../../src/sandbox/pictures/png/encode-png.ts'
import type { PictureSize, Raster } from '../../src/sandbox/pictures/raster.ts'

export const SMALL: PictureSize = { width: 48, height: 32 }

/** A picture that no request of these tests asks for. */
export function makeSource(size: PictureSize = SMALL): Raster {
  const wish: PaintingWish = {
    prompt: 'something else',
    variant: 7,
    mood: 'natural',
    detail: 1,
    isTransparent: false,
    ...size,
  }
  return paintPicture(wish)
}

/** Transparent in its left half. */
export function makeMask({ width, height }: PictureSize = SMALL): Raster {
  const pixels = new Uint8Array(width * height * 4)
  for (let pixel = 0; pixel < width * height; pixel++) {
    pixels[pixel * 4 + 3] = pixel % width < width / 2 ? 0 : 255
  }
  return { width, height, pixels }
}

export function toFile(raster: Raster, name = 'picture.png'): File {
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
