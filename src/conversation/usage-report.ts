import type { Usage, UsageDetails } from './usage.ts'

/** The counts of a supplier's report. They may overlap: an audio token can be a cached one too. */
export interface TokenReport {
  /** The whole prompt, cached tokens included. */
  readonly prompt: number
  readonly cacheRead: number
  readonly cacheWrite: number
  /** Everything generated, thinking included. */
  readonly output: number
  readonly reasoning: number
}

/** Parts of these counts that only some suppliers tell apart. */
export interface PartsReport {
  /** Of the whole prompt, cached or not. */
  readonly audio: number
  readonly image: number
  /** Of the tokens read from the cache. */
  readonly cachedAudio: number
  readonly cachedImage: number
  readonly cacheWrite30m: number
  readonly cacheWrite1h: number
  readonly cacheWrite12h: number
  readonly audioOutput: number
  readonly imageOutput: number
}

export const NO_PARTS: PartsReport = {
  audio: 0,
  image: 0,
  cachedAudio: 0,
  cachedImage: 0,
  cacheWrite30m: 0,
  cacheWrite1h: 0,
  cacheWrite12h: 0,
  audioOutput: 0,
  imageOutput: 0,
}

/** What a report says besides counts of tokens. */
export type ReportFacts = Pick<
  UsageDetails,
  | 'webSearches'
  | 'codeExecutions'
  | 'searchUnits'
  | 'audioMs'
  | 'characters'
  | 'serviceTier'
  | 'imageSize'
  | 'imageQuality'
>

/**
 * The usage of a report, each token in one class. `parts` and `facts` are null when there are none, which is usual.
 * The sums stay those of the supplier: parts that are larger than their whole are cut to it.
 */
export function settleReport(
  report: TokenReport,
  parts: PartsReport | null,
  facts: ReportFacts | null,
): Usage {
  const { prompt, output } = report
  const cacheRead = Math.min(prompt, report.cacheRead)
  const cacheWrite = Math.min(prompt - cacheRead, report.cacheWrite)
  const usage: Usage = {
    input: prompt - cacheRead - cacheWrite,
    cacheRead,
    cacheWrite,
    output,
    reasoning: Math.min(output, report.reasoning),
    images: 0,
  }
  const isContradictory =
    report.cacheRead + report.cacheWrite > prompt ||
    (report.reasoning > output && isBeyond(report.reasoning, output)) ||
    (parts !== null && haveNoRoom(parts, usage))
  if (parts === null && facts === null && !isContradictory) return usage
  const details = {
    ...(parts !== null && placeParts(parts, usage)),
    ...facts,
    ...(isContradictory && ({ isContradictory } as const)),
  }
  return withDetails(usage, details)
}

/** The usage with those details that say something; without any when there are none. */
export function withDetails(usage: Usage, details: UsageDetails): Usage {
  const said = Object.entries(details).filter(([, value]) => value !== undefined && value !== 0)
  return said.length === 0 ? usage : { ...usage, details: Object.fromEntries(said) }
}

// Suppliers round the tokens of media and of thoughts, which they do not count like text.
const ROUNDING_TOKENS = 8
const ROUNDING_SHARE = 0.02

/** Whether a part is larger than its whole by more than rounding explains. */
function isBeyond(part: number, whole: number): boolean {
  return part > whole + ROUNDING_TOKENS + whole * ROUNDING_SHARE
}

function haveNoRoom(parts: PartsReport, usage: Usage): boolean {
  return (
    isBeyond(parts.audio + parts.image, usage.input + usage.cacheRead + usage.cacheWrite) ||
    isBeyond(parts.cachedAudio + parts.cachedImage, usage.cacheRead) ||
    isBeyond(parts.cacheWrite30m + parts.cacheWrite1h + parts.cacheWrite12h, usage.cacheWrite) ||
    isBeyond(usage.reasoning + parts.imageOutput + parts.audioOutput, usage.output)
  )
}

function placeParts(parts: PartsReport, usage: Usage): UsageDetails {
  const [cacheWrite12h, cacheWrite1h, cacheWrite30m] = take(usage.cacheWrite, [
    parts.cacheWrite12h,
    parts.cacheWrite1h,
    parts.cacheWrite30m,
  ])
  const [imageOutput, audioOutput] = take(usage.output - usage.reasoning, [
    parts.imageOutput,
    parts.audioOutput,
  ])
  return { cacheWrite30m, cacheWrite1h, cacheWrite12h, ...placeMedia(parts, usage), imageOutput, audioOutput }
}

/** Media of which no cached part is reported was cached only as far as the rest of the prompt has no room for it. */
function placeMedia(parts: PartsReport, { input, cacheRead }: Usage): UsageDetails {
  const [audioCached = 0, imageCached = 0] = take(cacheRead, [parts.cachedAudio, parts.cachedImage])
  const audio = Math.max(0, parts.audio - audioCached)
  const image = Math.max(0, parts.image - imageCached)
  const [audioInput = 0, imageInput = 0] = take(input, [audio, image])
  const [moreAudio = 0, moreImage = 0] = take(cacheRead - audioCached - imageCached, [
    audio - audioInput,
    image - imageInput,
  ])
  return {
    audioInput,
    imageInput,
    audioCacheRead: audioCached + moreAudio,
    imageCacheRead: imageCached + moreImage,
  }
}

/** Takes each of these amounts from a whole, in this order and as far as it goes. */
function take(whole: number, amounts: readonly number[]): number[] {
  let rest = whole
  return amounts.map((amount) => {
    const taken = Math.min(rest, amount)
    rest -= taken
    return taken
  })
}

// What an encrypted copy has besides the text. OpenAI's own client, Codex, counts with the same figure.
const ENVELOPE_BYTES = 650

/**
 * About how many characters a supplier has generated in a thought beyond those it shows, from the encrypted copy (in
 * Base64) that it sends to be returned. Only to count an answer for which the supplier reports no usage.
 */
export function hiddenCharacters(encrypted: unknown, shownCharacters: number): number {
  if (typeof encrypted !== 'string') return 0
  const bytes = Math.floor((encrypted.length * 3) / 4)
  return Math.max(0, bytes - ENVELOPE_BYTES - shownCharacters)
}
