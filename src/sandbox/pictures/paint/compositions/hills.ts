import type { Stroke } from '../brush.ts'
import { createRamp, mix } from '../colour.ts'
import type { Dice } from '../dice.ts'
import { disc, glow, ridge, wash } from '../shapes.ts'
import type { Composition, Setting } from './composition.ts'

/** A sky with a sun or moon, and hills one behind the other. */
export function composeHills(setting: Setting): Composition {
  const { frame, palette } = setting
  const [high, middle, low] = palette.ground
  return {
    ground: [wash(frame, createRamp(low, middle, high, palette.light), 90)],
    motif: [...hangSun(setting), ...stackHills(setting)],
  }
}

function hangSun({ frame, palette, dice }: Setting): readonly Stroke[] {
  const place = {
    x: frame.width * dice.between(0.2, 0.8),
    y: frame.height * dice.between(0.18, 0.42),
    radius: dice.between(0.07, 0.14),
  }
  const light = createRamp(palette.light)
  return [
    glow(light, { ...place, radius: place.radius * 5 }, 0.55),
    disc(frame, createRamp(palette.light, mix(palette.light, palette.accents[0], 0.55)), place),
  ]
}

function stackHills({ frame, palette, dice, detail }: Setting): readonly Stroke[] {
  const layers = Math.max(3, Math.round(dice.count(4, 6) * detail))
  const [far, near] = [mix(palette.ground[1], palette.accents[1], 0.55), palette.dark]
  return Array.from({ length: layers }, (_, layer) => {
    const closeness = (layer + 1) / layers
    const colour = mix(far, near, closeness ** 1.2)
    const misty = mix(colour, palette.light, 0.35 * (1 - closeness))
    const level = frame.height * (0.42 + 0.46 * (layer / layers))
    return ridge(frame, createRamp(colour, misty), undulate(level, 0.05 + 0.05 * dice.roll(), dice))
  })
}

/** A line of three waves whose lengths have no common measure, so that it never repeats. */
export function undulate(level: number, swing: number, dice: Dice): (x: number) => number {
  const waves = [1, 2.3, 5.1].map((pace) => ({
    pace: pace * dice.between(3, 6),
    start: dice.between(0, 2 * Math.PI),
    swing: swing / pace,
  }))
  return (x) => waves.reduce((y, wave) => y + wave.swing * Math.sin(wave.pace * x + wave.start), level)
}
