import type { ImageSize } from '../../images/raster.ts'

const SHORTEST_EDGE = 16
const LONGEST_EDGE = 3840
// As many as a screen of 3840 by 2160 has.
const MOST_PIXELS = 8_294_400

/** null when it is no size, or one that no model makes. */
export function readSize(text: string): ImageSize | null {
  const match = /^(\d{1,4})x(\d{1,4})$/.exec(text)
  if (match === null) return null
  const [width, height] = [Number(match[1]), Number(match[2])]
  if (Math.min(width, height) < SHORTEST_EDGE || Math.max(width, height) > LONGEST_EDGE) return null
  return width * height > MOST_PIXELS ? null : { width, height }
}
