import type { Stroke } from '../brush.ts'
import { type Colour, createRamp, mix } from '../colour.ts'
import { disc, glow, ridge, wash } from '../shapes.ts'
import type { Composition, Setting } from './composition.ts'
import { undulate } from './hills.ts'

/** Bands of colour that flow across the whole picture, and something round that rises out of them. */
export function composeWaves(setting: Setting): Composition {
  const { frame, palette } = setting
  return {
    ground: [wash(frame, createRamp(palette.light, palette.ground[0]), 90)],
    motif: flow(setting),
  }
}

function flow(setting: Setting): readonly Stroke[] {
  const { frame, palette, dice, detail } = setting
  const bands = Math.max(4, Math.round(dice.count(6, 10) * detail))
  const rising = dice.count(1, Math.floor(bands / 3))
  return Array.from({ length: bands }, (_, band) => {
    const share = band / bands
    const colour = bandColour(setting, share)
    const level = frame.height * (0.22 + 0.8 * share)
    const line = undulate(level, 0.09, dice)
    const water = ridge(frame, createRamp(mix(colour, palette.light, 0.3), colour, colour), line)
    return band === rising ? [...raiseDisc(setting, level), water] : [water]
  }).flat()
}

/** Deeper bands are darker; mixing in a second hue only a little keeps them from turning grey. */
function bandColour({ palette: { accents, dark } }: Setting, share: number): Colour {
  return mix(mix(accents[0], accents[1], 0.25 * share), dark, 0.9 * share ** 1.3)
}

function raiseDisc({ frame, palette, dice }: Setting, level: number): readonly Stroke[] {
  const place = {
    x: frame.width * dice.between(0.25, 0.75),
    y: level - 0.06,
    radius: dice.between(0.12, 0.2),
  }
  const [, , , fourth, fifth] = palette.accents
  return [
    glow(createRamp(palette.light), { ...place, radius: place.radius * 3 }, 0.6),
    disc(frame, createRamp(palette.light, fourth, fifth), place),
  ]
}
