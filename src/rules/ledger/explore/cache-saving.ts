import type { Price } from '../../../vocabulary/price.ts'
import type { Settlement } from '../../../vocabulary/settlement.ts'

const TOKENS_PER_QUOTE = 1_000_000
const BASIS_POINTS = 10_000

/** What a cached token of each kind costs less than one that is not cached, per million. Negative where it costs more. */
interface Differences {
  readonly read: number
  readonly audioRead: number
  readonly imageRead: number
  readonly write: number
  readonly write30m: number
  readonly write1h: number
  readonly write12h: number
}

/**
 * What the prompt would have cost more with nothing read from a cache and nothing written to one, at the general rates of
 * the request. Negative where writing cost more than reading saved. An estimate of what did not happen, so plain numbers
 * are exact enough; this runs for every request.
 */
export function savedNano({
  usage,
  price,
  markupBasisPoints,
}: Pick<Settlement, 'usage' | 'price' | 'markupBasisPoints'>): number {
  if (price === null || (usage.cacheRead === 0 && usage.cacheWrite === 0)) return 0
  const less = knownDifferences.get(price) ?? differencesOf(price)
  if (usage.details === undefined) {
    return marked(usage.cacheRead * less.read + usage.cacheWrite * less.write, markupBasisPoints)
  }
  const { audioCacheRead = 0, imageCacheRead = 0 } = usage.details
  const { cacheWrite30m = 0, cacheWrite1h = 0, cacheWrite12h = 0 } = usage.details
  const parts =
    (usage.cacheRead - audioCacheRead - imageCacheRead) * less.read +
    audioCacheRead * less.audioRead +
    imageCacheRead * less.imageRead +
    (usage.cacheWrite - cacheWrite30m - cacheWrite1h - cacheWrite12h) * less.write +
    cacheWrite30m * less.write30m +
    cacheWrite1h * less.write1h +
    cacheWrite12h * less.write12h
  return marked(parts, markupBasisPoints)
}

function marked(parts: number, markupBasisPoints: number | null): number {
  return Math.round((parts / TOKENS_PER_QUOTE) * (1 + (markupBasisPoints ?? 0) / BASIS_POINTS))
}

// Thousands of requests in a row have the same price object.
const knownDifferences = new WeakMap<Price, Differences>()

function differencesOf(price: Price): Differences {
  const input = price.inputNanoPerMillion
  const { cacheReadNanoPerMillion: read, cacheWriteNanoPerMillion: write } = price
  const { audioInputNanoPerMillion: audio = input, imageInputNanoPerMillion: image = input } = price
  const differences = {
    read: Number(input - read),
    audioRead: Number(audio - (price.audioCacheReadNanoPerMillion ?? read)),
    imageRead: Number(image - (price.imageCacheReadNanoPerMillion ?? read)),
    write: Number(input - write),
    write30m: Number(input - (price.cacheWrite30mNanoPerMillion ?? write)),
    write1h: Number(input - (price.cacheWrite1hNanoPerMillion ?? write)),
    write12h: Number(input - (price.cacheWrite12hNanoPerMillion ?? write)),
  }
  knownDifferences.set(price, differences)
  return differences
}
