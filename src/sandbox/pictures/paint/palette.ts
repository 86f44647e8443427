import { type Colour, toColour } from './colour.ts'
import type { Dice } from './dice.ts'

export interface Palette {
  /** From light to dark, close to one hue: what a background is made of. */
  readonly ground: readonly [Colour, Colour, Colour]
  /** Colours that stand out from it and from each other. */
  readonly accents: readonly [Colour, Colour, Colour, Colour, Colour]
  readonly light: Colour
  readonly dark: Colour
}

export type Mood = 'vivid' | 'natural'

/** A prompt that names a colour gets a picture of that colour. */
const NAMED_HUES: readonly (readonly [word: RegExp, hueDegrees: number])[] = [
  [/\b(?:red|rose|ruby|cherry)\b/i, 25],
  [/\b(?:orange|autumn|copper)\b/i, 55],
  [/\b(?:yellow|gold(?:en)?|sand|desert|sun(?:set|rise)?)\b/i, 85],
  [/\b(?:green|forest|meadow|leaf|grass)\b/i, 145],
  [/\b(?:teal|turquoise|mint)\b/i, 190],
  [/\b(?:blue|sea|ocean|sky|water|ice)\b/i, 250],
  [/\b(?:purple|violet|lavender|night)\b/i, 300],
  [/\b(?:pink|magenta)\b/i, 350],
]

/** How far round the circle of hues the accents stand from the ground. */
const SCHEMES: readonly [Turns, ...Turns[]] = [
  [30, 60, -30, 180, 200],
  [180, 150, 210, 30, -30],
  [120, 240, 60, 180, 20],
  [40, 80, 120, 160, 200],
]

type Turns = readonly [number, number, number, number, number]

export function choosePalette(prompt: string, mood: Mood, dice: Dice): Palette {
  const rolled = dice.between(0, 360)
  const named = NAMED_HUES.find(([word]) => word.test(prompt))?.[1]
  const hue = named === undefined ? rolled : named + (rolled - 180) / 20
  const strength = mood === 'vivid' ? 1 : 0.55
  const isNight = dice.roll() < 0.35 || /\bnight\b/i.test(prompt)
  const [one, two, three, four, five] = dice.pick(SCHEMES)
  const shade = (lightness: number, chroma: number, turn: number) =>
    toColour({ lightness, chroma: chroma * strength, hueDegrees: hue + turn })
  const accent = (turn: number) => shade(dice.between(0.6, 0.8), dice.between(0.12, 0.18), turn)
  return {
    ground: isNight
      ? [shade(0.48, 0.11, -25), shade(0.34, 0.09, 0), shade(0.2, 0.06, 20)]
      : [shade(0.95, 0.04, 35), shade(0.85, 0.09, 5), shade(0.7, 0.13, -15)],
    accents: [accent(one), accent(two), accent(three), accent(four), accent(five)],
    light: shade(0.97, 0.03, 60),
    dark: shade(0.24, 0.06, -10),
  }
}
