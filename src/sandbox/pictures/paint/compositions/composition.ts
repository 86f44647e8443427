import type { Frame, Stroke } from '../brush.ts'
import type { Dice } from '../dice.ts'
import type { Palette } from '../palette.ts'

export interface Setting {
  readonly frame: Frame
  readonly palette: Palette
  readonly dice: Dice
  /** How much there is to see; 1 is usual. */
  readonly detail: number
}

/** What a picture is made of. The ground is left out where the background is to be transparent. */
export interface Composition {
  readonly ground: readonly Stroke[]
  readonly motif: readonly Stroke[]
}
