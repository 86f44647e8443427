import { type Stroke, wholeOf } from '../brush.ts'
import { createRamp, mix } from '../colour.ts'
import { disc, distance, ring, soften, wash } from '../shapes.ts'
import type { Composition, Setting } from './composition.ts'

/** Beams that leave one point, and circles around it. */
export function composeRays(setting: Setting): Composition {
  const { frame, palette, dice } = setting
  const middle = { x: frame.width * dice.between(0.3, 0.7), y: frame.height * dice.between(0.35, 0.65) }
  const radius = dice.between(0.12, 0.2)
  const [, warm, cool] = palette.accents
  return {
    ground: [wash(frame, createRamp(...palette.ground), dice.between(45, 135))],
    motif: [
      castBeams(setting, middle),
      ...drawRings(setting, { ...middle, radius }),
      disc(frame, createRamp(palette.light, warm, mix(warm, cool, 0.6)), { ...middle, radius }),
    ],
  }
}

function castBeams({ frame, palette, dice, detail }: Setting, middle: { x: number; y: number }): Stroke {
  const beams = Math.max(5, Math.round(dice.count(9, 18) * detail))
  const [start, twist] = [dice.between(0, 2 * Math.PI), dice.between(-1.2, 1.2)]
  return {
    box: wholeOf(frame),
    ramp: createRamp(palette.light, palette.accents[0], palette.accents[3]),
    tone: (x, y) => distance(x - middle.x, y - middle.y),
    cover: (x, y) => {
      const away = distance(x - middle.x, y - middle.y)
      const angle = Math.atan2(y - middle.y, x - middle.x) + start + twist * away
      // Beams grow wider outwards, so the same angle is a longer way further out.
      const edge = (Math.sin(angle * beams) * away) / beams
      return 0.62 * soften(edge, frame.pixel)
    },
  }
}

function drawRings(
  { frame, palette, dice }: Setting,
  middle: { x: number; y: number; radius: number },
): readonly Stroke[] {
  return Array.from({ length: dice.count(2, 4) }, (_, order) => {
    const radius = middle.radius * (1.45 + 0.5 * order)
    const place = { ...middle, radius, thickness: 0.05 * middle.radius * (3 - order * 0.5), opacity: 0.75 }
    return ring(frame, createRamp(mix(dice.pick(palette.accents), palette.light, 0.25)), place)
  })
}
