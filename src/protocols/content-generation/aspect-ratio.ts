const RATIOS = ['1:1', '2:3', '3:2', '3:4', '4:3', '4:5', '5:4', '9:16', '16:9', '21:9'] as const

// Models of this format draw their own number of pixels, which misses the named ratio by up to this much as well.
const TOLERANCE = 0.03

/** The named ratio of a size such as `1024x1536`; null when none is near. */
export function aspectRatioOf(size: string): string | null {
  const [width = 0, height = 0] = size.split('x').map(Number)
  const wanted = width / height
  const isNear = (ratio: string) => Math.abs(quotientOf(ratio) / wanted - 1) <= TOLERANCE
  return RATIOS.find(isNear) ?? null
}

function quotientOf(ratio: string): number {
  const [width = 0, height = 0] = ratio.split(':').map(Number)
  return width / height
}
