import { type PaintingWish, paintPicture } from './paint/paint-picture.ts'
import { alphaAt, BYTES_PER_PIXEL, createRaster, type Raster } from './raster.ts'
import { scaleRaster } from './scale-raster.ts'

export interface EditMaterial {
  /** The picture to change, then those that lend something to the change. */
  readonly sources: readonly [Raster, ...Raster[]]
  /** As large as the first source; fully transparent where the change is wanted. */
  readonly mask: Raster | null
}

/** How much of a new painting shows where nothing said which part to change. */
const OVERALL_SHARE = 0.45
const LENT_SHARE = 0.5

/**
 * Changes a picture as its prompt happens to lead to: within the mask, or within the picture's own transparent parts,
 * or, where it has none, all over, so that the source still shows.
 */
export function editPicture({ sources, mask }: EditMaterial, wish: PaintingWish): Raster {
  const [first, ...others] = sources
  const base = scaleRaster(first, wish)
  const painting = others.reduce(
    (painted, other) => mixRasters(painted, scaleRaster(other, wish), LENT_SHARE),
    paintPicture(wish),
  )
  if (mask !== null) return replaceWithin(base, painting, scaleRaster(mask, wish))
  return hasHole(base) ? replaceWithin(base, painting, base) : mixRasters(base, painting, OVERALL_SHARE)
}

function hasHole(raster: Raster): boolean {
  for (let at = 3; at < raster.pixels.length; at += BYTES_PER_PIXEL) {
    if (raster.pixels[at] === 0) return true
  }
  return false
}

/** Takes the painting where the stencil is fully transparent, and the base everywhere else. */
function replaceWithin(base: Raster, painting: Raster, stencil: Raster): Raster {
  const result = { ...base, pixels: base.pixels.slice() }
  for (let pixel = 0; pixel < base.width * base.height; pixel++) {
    if (alphaAt(stencil, pixel) !== 0) continue
    const at = pixel * BYTES_PER_PIXEL
    for (let channel = 0; channel < BYTES_PER_PIXEL; channel++) {
      result.pixels[at + channel] = painting.pixels[at + channel] ?? 0
    }
  }
  return result
}

function mixRasters(one: Raster, other: Raster, share: number): Raster {
  const mixed = createRaster(one)
  for (let at = 0; at < mixed.pixels.length; at++) {
    const from = one.pixels[at] ?? 0
    mixed.pixels[at] = from + ((other.pixels[at] ?? 0) - from) * share + 0.5
  }
  return mixed
}
