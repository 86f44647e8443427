/** A picture in memory: four bytes for each pixel (red, green, blue, alpha), row after row. */
export interface Raster {
  readonly width: number
  readonly height: number
  readonly pixels: Uint8Array
}

export interface PictureSize {
  readonly width: number
  readonly height: number
}

export const BYTES_PER_PIXEL = 4

/** What may be held in memory at once; a raster of this size takes 64 MB. */
export const MOST_PIXELS = 16_000_000

export function createRaster({ width, height }: PictureSize): Raster {
  return { width, height, pixels: new Uint8Array(width * height * BYTES_PER_PIXEL) }
}

export function alphaAt({ pixels }: Raster, pixel: number): number {
  return pixels[pixel * BYTES_PER_PIXEL + 3] ?? 0
}

export function isOpaque({ pixels }: Raster): boolean {
  for (let at = 3; at < pixels.length; at += BYTES_PER_PIXEL) {
    if (pixels[at] !== 255) return false
  }
  return true
}
