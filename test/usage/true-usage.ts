import fc from 'fast-check'
import type { Usage, UsageDetails } from '../../src/conversation/usage.ts'
import { SERVICE_TIERS, type ServiceTier } from '../../src/vocabulary/price.ts'

/** What a request really used: every token in exactly one of these. */
export interface TrueUsage {
  readonly text: number
  readonly audio: number
  readonly image: number
  readonly cachedText: number
  readonly cachedAudio: number
  readonly cachedImage: number
  readonly written5m: number
  readonly written30m: number
  readonly written1h: number
  readonly written12h: number
  readonly saidText: number
  readonly thought: number
  readonly saidAudio: number
  readonly drawn: number
  readonly searches: number
  readonly executions: number
  readonly tier: ServiceTier | null
}

/** Often zero, as most of them are in most requests. */
const count = fc.oneof(fc.constant(0), fc.nat(9), fc.nat(300_000))
const calls = fc.oneof(fc.constant(0), fc.nat(12))

export const trueUsages: fc.Arbitrary<TrueUsage> = fc.record({
  // Suppliers give no report without any tokens.
  text: fc.integer({ min: 1, max: 300_000 }),
  audio: count,
  image: count,
  cachedText: count,
  cachedAudio: count,
  cachedImage: count,
  written5m: count,
  written30m: count,
  written1h: count,
  written12h: count,
  saidText: count,
  thought: count,
  saidAudio: count,
  drawn: count,
  searches: calls,
  executions: calls,
  tier: fc.constantFrom(null, ...SERVICE_TIERS),
})

const ABSENT = {
  media: { audio: 0, image: 0, cachedAudio: 0, cachedImage: 0, saidAudio: 0, drawn: 0 },
  writes: { written5m: 0, written30m: 0, written1h: 0, written12h: 0 },
  lifetimes: { written30m: 0, written1h: 0, written12h: 0 },
  thought: { thought: 0 },
  searches: { searches: 0 },
  executions: { executions: 0 },
  tier: { tier: null },
} as const

/** A usage without what a format has no place for. */
export function without(truth: TrueUsage, ...names: readonly (keyof typeof ABSENT)[]): TrueUsage {
  return Object.assign({ ...truth }, ...names.map((name) => ABSENT[name]))
}

export function promptOf(truth: TrueUsage): number {
  return truth.text + truth.audio + truth.image + readOf(truth) + writtenOf(truth)
}

export function readOf({ cachedText, cachedAudio, cachedImage }: TrueUsage): number {
  return cachedText + cachedAudio + cachedImage
}

export function writtenOf({ written5m, written30m, written1h, written12h }: TrueUsage): number {
  return written5m + written30m + written1h + written12h
}

export function outputOf({ saidText, thought, saidAudio, drawn }: TrueUsage): number {
  return saidText + thought + saidAudio + drawn
}

/** What every reader must make of it. */
export function usageOf(truth: TrueUsage): Usage {
  const details: UsageDetails = {
    cacheWrite30m: truth.written30m,
    cacheWrite1h: truth.written1h,
    cacheWrite12h: truth.written12h,
    audioInput: truth.audio,
    imageInput: truth.image,
    audioCacheRead: truth.cachedAudio,
    imageCacheRead: truth.cachedImage,
    audioOutput: truth.saidAudio,
    imageOutput: truth.drawn,
    webSearches: truth.searches,
    codeExecutions: truth.executions,
    ...(truth.tier !== null && { serviceTier: truth.tier }),
  }
  const said = Object.entries(details).filter(([, value]) => value !== 0)
  return {
    input: truth.text + truth.audio + truth.image,
    cacheRead: readOf(truth),
    cacheWrite: writtenOf(truth),
    output: outputOf(truth),
    reasoning: truth.thought,
    images: 0,
    ...(said.length > 0 && { details: Object.fromEntries(said) }),
  }
}
