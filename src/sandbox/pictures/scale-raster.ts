import { BYTES_PER_PIXEL, createRaster, type PictureSize, type Raster } from './raster.ts'

/** The same raster when the size is already right, so that no pixel changes without need. */
export function scaleRaster(raster: Raster, size: PictureSize): Raster {
  if (raster.width === size.width && raster.height === size.height) return raster
  const scaled = createRaster(size)
  const columns = locate(size.width, raster.width)
  const rows = locate(size.height, raster.height)
  rows.forEach((row, y) => {
    columns.forEach((column, x) => {
      mixCorners(
        raster,
        { row, column },
        { pixels: scaled.pixels, to: (y * size.width + x) * BYTES_PER_PIXEL },
      )
    })
  })
  return scaled
}

/** The two source pixels a target pixel lies between, and how near it is to the second. */
interface Between {
  readonly first: number
  readonly second: number
  readonly share: number
}

function locate(targets: number, sources: number): readonly Between[] {
  return Array.from({ length: targets }, (_, target) => {
    const place = ((target + 0.5) * sources) / targets - 0.5
    const first = Math.min(sources - 1, Math.max(0, Math.floor(place)))
    const share = Math.min(1, Math.max(0, place - first))
    return { first, second: Math.min(sources - 1, first + 1), share }
  })
}

function mixCorners(
  { pixels, width }: Raster,
  { row, column }: { readonly row: Between; readonly column: Between },
  target: { readonly pixels: Uint8Array; readonly to: number },
): void {
  const at = (y: number, x: number, channel: number) =>
    pixels[(y * width + x) * BYTES_PER_PIXEL + channel] ?? 0
  for (let channel = 0; channel < BYTES_PER_PIXEL; channel++) {
    const above = mix(
      at(row.first, column.first, channel),
      at(row.first, column.second, channel),
      column.share,
    )
    const below = mix(
      at(row.second, column.first, channel),
      at(row.second, column.second, channel),
      column.share,
    )
    target.pixels[target.to + channel] = mix(above, below, row.share) + 0.5
  }
}

function mix(one: number, other: number, share: number): number {
  return one + (other - one) * share
}
