import type { Stroke } from '../brush.ts'
import { createRamp, mix } from '../colour.ts'
import { disc, ring, wash } from '../shapes.ts'
import type { Composition, Setting } from './composition.ts'

/** Discs of many sizes that float over one another. */
export function composeBubbles(setting: Setting): Composition {
  const { frame, palette, dice, detail } = setting
  const bubbles = Math.round(dice.count(16, 30) * detail)
  return {
    ground: [wash(frame, createRamp(...palette.ground), dice.between(20, 160))],
    motif: Array.from({ length: bubbles }, (_, bubble) => float(setting, bubble / bubbles)).flat(),
  }
}

/** The first ones are large and far away. */
function float({ frame, palette, dice }: Setting, order: number): readonly Stroke[] {
  const place = {
    x: frame.width * dice.between(-0.05, 1.05),
    y: frame.height * dice.between(-0.05, 1.05),
    radius: dice.between(0.04, 0.12) + 0.2 * (1 - order) * dice.roll(),
  }
  const colour = dice.pick(palette.accents)
  const ramp = createRamp(mix(colour, palette.light, 0.6), colour, mix(colour, palette.dark, 0.35))
  const rim = { ...place, thickness: place.radius * 0.05, opacity: 0.35 }
  return [
    disc(frame, ramp, { ...place, opacity: dice.between(0.55, 0.92) }),
    ring(frame, createRamp(palette.light), rim),
  ]
}
