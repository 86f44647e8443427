import { BYTES_PER_PIXEL, type Raster } from '../raster.ts'
import { type Ramp, rampOffset } from './colour.ts'

/**
 * Something to paint. Places are in units of the picture's shorter edge, so that a composition looks alike at every
 * size and a circle stays one.
 */
export interface Stroke {
  readonly box: Box
  readonly ramp: Ramp
  /** Which colour of the ramp, 0 to 1; the first one when absent. */
  tone?(x: number, y: number): number
  /** How much of it covers what is below, 0 to 1. */
  cover(x: number, y: number): number
}

export interface Box {
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
}

/** The picture's own measures, in units of its shorter edge. */
export interface Frame {
  readonly width: number
  readonly height: number
  /** How large a pixel is: edges are softened over this much. */
  readonly pixel: number
}

export function measure({ width, height }: { width: number; height: number }): Frame {
  const short = Math.min(width, height)
  return { width: width / short, height: height / short, pixel: 1 / short }
}

export function wholeOf({ width, height }: Frame): Box {
  return { left: 0, top: 0, right: width, bottom: height }
}

export function paintStroke(raster: Raster, stroke: Stroke): void {
  const { pixel } = measure(raster)
  const clamp = (edge: number, most: number) => Math.min(most, Math.max(0, edge))
  const { left, top, right, bottom } = stroke.box
  const from = clamp(Math.floor(left / pixel), raster.width)
  const to = clamp(Math.ceil(right / pixel), raster.width)
  const endRow = clamp(Math.ceil(bottom / pixel), raster.height)
  for (let row = clamp(Math.floor(top / pixel), raster.height); row < endRow; row++) {
    paintRow(raster, stroke, { row, from, to, pixel })
  }
}

interface Span {
  readonly row: number
  readonly from: number
  readonly to: number
  readonly pixel: number
}

function paintRow({ pixels, width }: Raster, stroke: Stroke, { row, from, to, pixel }: Span): void {
  const { steps } = stroke.ramp
  const y = (row + 0.5) * pixel
  for (let column = from; column < to; column++) {
    const x = (column + 0.5) * pixel
    const cover = stroke.cover(x, y)
    if (cover <= 0) continue
    const colourAt = stroke.tone === undefined ? 0 : rampOffset(stroke.tone(x, y))
    const at = (row * width + column) * BYTES_PER_PIXEL
    // What share of the pixel below still shows, and how opaque both are together.
    const below = cover >= 1 ? 0 : ((pixels[at + 3] ?? 0) / 255) * (1 - cover)
    const alpha = cover >= 1 ? 1 : cover + below
    for (let channel = 0; channel < 3; channel++) {
      const mixed = (steps[colourAt + channel] ?? 0) * (alpha - below) + (pixels[at + channel] ?? 0) * below
      pixels[at + channel] = mixed / alpha + 0.5
    }
    pixels[at + 3] = alpha * 255 + 0.5
  }
}
