import type { Box, Frame, Stroke } from './brush.ts'
import { wholeOf } from './brush.ts'
import type { Ramp } from './colour.ts'

export interface Disc {
  readonly x: number
  readonly y: number
  readonly radius: number
}

/** Overflow is no concern within a picture, and guarding against it would take most of the time of painting. */
export function distance(x: number, y: number): number {
  return Math.sqrt(x * x + y * y)
}

/** How much of a pixel lies within an edge that is this far away; positive is inside. */
export function soften(depth: number, pixel: number): number {
  const share = depth / pixel + 0.5
  return share < 0 ? 0 : share > 1 ? 1 : share
}

/** Covers everything, its tones running in one direction. */
export function wash(frame: Frame, ramp: Ramp, angleDegrees: number): Stroke {
  const angle = (angleDegrees * Math.PI) / 180
  const [alongX, alongY] = [Math.cos(angle), Math.sin(angle)]
  const reach = Math.abs(alongX) * frame.width + Math.abs(alongY) * frame.height
  const tone = (x: number, y: number) =>
    ((x - frame.width / 2) * alongX + (y - frame.height / 2) * alongY) / reach + 0.5
  return { box: wholeOf(frame), ramp, tone, cover: () => 1 }
}

export function disc(
  frame: Frame,
  ramp: Ramp,
  { x, y, radius, opacity = 1 }: Disc & { opacity?: number },
): Stroke {
  return {
    box: boxAround({ x, y, radius: radius + frame.pixel }),
    ramp,
    // Light comes from above left.
    tone: (atX, atY) => distance(atX - x + radius * 0.35, atY - y + radius * 0.35) / (radius * 1.4),
    cover: (atX, atY) => opacity * soften(radius - distance(atX - x, atY - y), frame.pixel),
  }
}

/** Light that fades with the distance from its middle. */
export function glow(ramp: Ramp, { x, y, radius }: Disc, opacity: number): Stroke {
  return {
    box: boxAround({ x, y, radius }),
    ramp,
    cover: (atX, atY) => opacity * Math.max(0, 1 - distance(atX - x, atY - y) / radius) ** 2,
  }
}

export function ring(
  frame: Frame,
  ramp: Ramp,
  { x, y, radius, thickness, opacity }: Disc & { thickness: number; opacity: number },
): Stroke {
  return {
    box: boxAround({ x, y, radius: radius + thickness }),
    ramp,
    cover: (atX, atY) => {
      const away = Math.abs(distance(atX - x, atY - y) - radius)
      return opacity * soften(thickness / 2 - away, frame.pixel)
    },
  }
}

/** Everything below a line that goes up and down. */
export function ridge(frame: Frame, ramp: Ramp, line: (x: number) => number): Stroke {
  const columns = Math.round(frame.width / frame.pixel)
  // The line is the same all the way down, and costs too much to be followed for every pixel.
  const heights = Float64Array.from({ length: columns }, (_, column) => line((column + 0.5) * frame.pixel))
  const heightAt = (x: number) => heights[Math.floor(x / frame.pixel)] ?? 0
  const top = heights.reduce((highest, height) => Math.min(highest, height), frame.height)
  return {
    box: { ...wholeOf(frame), top: top - frame.pixel },
    ramp,
    tone: (x, y) => (y - heightAt(x)) / 0.5,
    cover: (x, y) => soften(y - heightAt(x), frame.pixel),
  }
}

function boxAround({ x, y, radius }: Disc): Box {
  return { left: x - radius, top: y - radius, right: x + radius, bottom: y + radius }
}
