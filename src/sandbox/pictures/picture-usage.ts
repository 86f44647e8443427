import { countTokens, TOKENS_PER_PICTURE } from '../performance/tokens.ts'
import type { PictureAsk, PictureQuality } from './picture-ask.ts'
import type { PictureSize } from './raster.ts'

/** Tokens, as models count them that are paid by token for pictures. */
export interface PictureUsage {
  readonly textInput: number
  readonly pictureInput: number
  readonly output: number
}

/** For a picture of 1024 by 1024; others cost by their area. */
const OUTPUT_TOKENS = { low: 272, medium: 1056, high: 4160 } as const satisfies Record<PictureQuality, number>
const USUAL_AREA = 1024 * 1024

export function countPictureUsage(ask: PictureAsk, { width, height }: PictureSize): PictureUsage {
  const outputEach = Math.ceil((OUTPUT_TOKENS[ask.quality] * width * height) / USUAL_AREA)
  return {
    textInput: countTokens(ask.prompt.length),
    pictureInput: TOKENS_PER_PICTURE * ask.sources.length,
    output: outputEach * ask.count,
  }
}
