export interface ImageSize {
  readonly width: number
  readonly height: number
}

/** An image in memory: four bytes for each pixel (red, green, blue, alpha), row after row. */
export interface Raster extends ImageSize {
  readonly pixels: Uint8Array
}

export const BYTES_PER_PIXEL = 4

/** What may be held in memory at once; a raster of this size takes 64 MB. */
export const MAX_PIXELS = 16_000_000

export function createRaster({ width, height }: ImageSize): Raster {
  return { width, height, pixels: new Uint8Array(width * height * BYTES_PER_PIXEL) }
}

export function hasAlpha({ pixels }: Raster, matches: (alpha: number) => boolean): boolean {
  for (let at = 3; at < pixels.length; at += BYTES_PER_PIXEL) {
    if (matches(pixels[at] ?? 0)) return true
  }
  return false
}
