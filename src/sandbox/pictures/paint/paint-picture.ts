import { createRaster, type PictureSize, type Raster } from '../raster.ts'
import { measure, paintStroke } from './brush.ts'
import { composeBubbles } from './compositions/bubbles.ts'
import type { Composition, Setting } from './compositions/composition.ts'
import { composeHills } from './compositions/hills.ts'
import { composeMosaic } from './compositions/mosaic.ts'
import { composeRays } from './compositions/rays.ts'
import { composeWaves } from './compositions/waves.ts'
import { createDice } from './dice.ts'
import { choosePalette, type Mood } from './palette.ts'

export interface PaintingWish extends PictureSize {
  readonly prompt: string
  /** Several pictures of one prompt differ by their number, counted from 0. */
  readonly variant: number
  readonly mood: Mood
  /** How much there is to see; 1 is usual. */
  readonly detail: number
  /** Leaves out everything but the motif. */
  readonly isTransparent: boolean
}

const COMPOSERS: readonly [Composer, ...Composer[]] = [
  composeHills,
  composeBubbles,
  composeRays,
  composeMosaic,
  composeWaves,
]

type Composer = (setting: Setting) => Composition

/** Paints what the words of the prompt happen to lead to: always the same for the same wish. */
export function paintPicture(wish: PaintingWish): Raster {
  const dice = createDice(`${wish.variant}\n${wish.prompt}`)
  const compose = dice.pick(COMPOSERS)
  const palette = choosePalette(wish.prompt, wish.mood, dice)
  const { ground, motif } = compose({ frame: measure(wish), palette, dice, detail: wish.detail })
  const raster = createRaster(wish)
  for (const stroke of wish.isTransparent ? motif : [...ground, ...motif]) paintStroke(raster, stroke)
  return raster
}
