import type { EmbeddingLimits } from '../vocabulary/runtime/embedding-limits.ts'

/** Inputs that are sent together, as a half-open range of their places. */
export interface InputRange {
  readonly from: number
  readonly to: number
}

/** Splits inputs into as few calls as the limits allow, in order. An input that is too long alone has its own call. */
export function splitInputs(weights: readonly number[], limits: EmbeddingLimits): readonly InputRange[] {
  const ranges: InputRange[] = []
  let from = 0
  let tokens = 0
  for (const [place, weight] of weights.entries()) {
    const isFull = place - from >= limits.inputs
    const isHeavy = limits.tokens !== null && place > from && tokens + weight > limits.tokens
    if (isFull || isHeavy) {
      ranges.push({ from, to: place })
      from = place
      tokens = 0
    }
    tokens += weight
  }
  if (from < weights.length) ranges.push({ from, to: weights.length })
  return ranges
}
