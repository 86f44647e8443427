import type { Mood } from './paint/palette.ts'
import type { PictureSize } from './raster.ts'

/** What a caller asks of a simulated model that makes pictures, whatever wire format it came in. */
export interface PictureAsk {
  readonly model: string
  readonly prompt: string
  /** How many pictures are wanted. */
  readonly count: number
  /** null leaves it to the model. */
  readonly size: PictureSize | null
  readonly quality: PictureQuality
  readonly mood: Mood
  readonly isTransparent: boolean
  /** Pictures to change; where there are none, a new one is painted. */
  readonly sources: readonly GivenPicture[]
  readonly mask: GivenPicture | null
}

export type PictureQuality = 'low' | 'medium' | 'high'

export interface GivenPicture {
  /** Where in the request it stands, as the face spells it. */
  readonly field: string
  readonly bytes: Uint8Array
}
