import { estimateTokens } from '../../../conversation/token-estimate.ts'
import { NO_USAGE, type Usage } from '../../../conversation/usage.ts'
import { withDetails } from '../../../conversation/usage-report.ts'
import type { SpeechRequest, SpokenAudio } from '../../../protocols/speech/index.ts'
import type { AudioFile, TranscriptionRequest } from '../../../protocols/transcriptions/index.ts'
import type { Price, PriceVariant, Rates } from '../../../vocabulary/price.ts'

// What current models count of the audio that they hear and that they make.
const HEARD_TOKENS_PER_SECOND = 10
const SPOKEN_TOKENS_PER_SECOND = 20
// More than any model counts.
const MAX_HEARD_TOKENS_PER_SECOND = 100
/** Nobody speaks faster. */
const MAX_WRITTEN_TOKENS_PER_SECOND = 10

// In bits per millisecond, which is the same as kilobits per second. Speech in a file that does not tell its length is
// usually encoded at about this rate; Opus goes down to the second one; and nothing to the third one.
const USUAL_BITS_PER_MS = 32
const LOWEST_BITS_PER_MS = 6
const IMPOSSIBLE_BITS_PER_MS = 1
// Suppliers round up, and some charge for at least a while.
const TOLERANCE = 1.1
const TOLERATED_MS = 60_000
const TOLERATED_TOKENS = 10_000

/** How long audio is, without decoding it. */
export interface AudioLength {
  /** As its headers say, else by its size at a usual bit rate. */
  readonly likelyMs: number
  /** As its headers say, else by its size at the lowest bit rate. */
  readonly mostMs: number
  /** A report of more cannot be true. */
  readonly impossibleMs: number
}

export function measureAudio({ durationMs, bytes, bytesPerSecond }: AudioFile): AudioLength {
  const at = (bitsPerMs: number) => Math.ceil((bytes * 8) / bitsPerMs)
  // By the size: headers may be wrong, and what the supplier makes of them counts.
  const bySize = bytesPerSecond === null ? at(IMPOSSIBLE_BITS_PER_MS) : (bytes / bytesPerSecond) * 1000
  return {
    likelyMs: durationMs ?? at(USUAL_BITS_PER_MS),
    mostMs: durationMs ?? at(LOWEST_BITS_PER_MS),
    impossibleMs: Math.max(bySize, durationMs ?? 0) * TOLERANCE + TOLERATED_MS,
  }
}

export function heardTokens(milliseconds: number): number {
  return Math.ceil((milliseconds * HEARD_TOKENS_PER_SECOND) / 1000)
}

export function mostWrittenTokens(milliseconds: number): number {
  return 200 + Math.ceil((milliseconds * MAX_WRITTEN_TOKENS_PER_SECOND) / 1000)
}

/** What a price is for, so that only what it needs is counted. */
interface PriceNeeds {
  readonly tokens: boolean
  readonly minutes: boolean
}

function needsOf(price: Price): PriceNeeds {
  const rates: readonly (Rates | PriceVariant)[] = [price, ...(price.variants ?? [])]
  const has = (name: keyof (Rates | PriceVariant)) => rates.some((rate) => Boolean(rate[name]))
  const tokens =
    has('inputNanoPerMillion') ||
    has('outputNanoPerMillion') ||
    has('audioInputNanoPerMillion') ||
    has('audioOutputNanoPerMillion')
  return { tokens, minutes: has('audioMinuteNano') }
}

/** Our own count of a transcription: the length of the audio, and tokens where the price is for tokens. */
export function countTranscript(
  { prompt }: TranscriptionRequest,
  { likelyMs }: AudioLength,
  { price, outputTokens }: { readonly price: Price; readonly outputTokens: number },
): Usage {
  if (!needsOf(price).tokens) return withDetails(NO_USAGE, { audioMs: likelyMs })
  const audioInput = heardTokens(likelyMs)
  const usage = { ...NO_USAGE, input: audioInput + estimateTokens(prompt), output: outputTokens }
  return withDetails(usage, { audioMs: likelyMs, audioInput })
}

/**
 * The usage to charge by a supplier's report: null when it lacks what the price is for, and marked when it cannot be
 * true for this audio. Both are then charged by our own count.
 */
export function judgeTranscript(reported: Usage, length: AudioLength, price: Price): Usage | null {
  const { audioMs } = reported.details ?? {}
  const needs = needsOf(price)
  const mostTokens = (length.impossibleMs * MAX_HEARD_TOKENS_PER_SECOND) / 1000 + TOLERATED_TOKENS
  if ((audioMs ?? 0) > length.impossibleMs || reported.input > mostTokens)
    return { ...reported, details: { ...reported.details, isContradictory: true } }
  if (reported.details?.isContradictory) return reported
  if (needs.minutes && audioMs === undefined) return null
  return needs.tokens && reported.input + reported.output === 0 ? null : reported
}

/** Unicode code points, as suppliers count the characters of a text. */
export function countCharacters(text: string): number {
  let count = 0
  for (let index = 0; index < text.length; index += 1) {
    if ((text.codePointAt(index) ?? 0) > 0xffff) index += 1
    count += 1
  }
  return count
}

// A second of speech has at least so many characters, in any script and at the usual speed.
const FEWEST_CHARACTERS_PER_SECOND = 4
const USUAL_CHARACTERS_PER_SECOND = 15

/** The audio tokens of a spoken text. */
export function spokenTokens(characters: number, speed: number): { likely: number; most: number } {
  const at = (perSecond: number) =>
    Math.ceil(((characters / perSecond) * SPOKEN_TOKENS_PER_SECOND) / Math.min(1, speed))
  return { likely: at(USUAL_CHARACTERS_PER_SECOND), most: 200 + at(FEWEST_CHARACTERS_PER_SECOND) }
}

// Bits per millisecond of what suppliers send. PCM has 24,000 samples of 16 bits a second.
const SENT_BITS_PER_MS: Readonly<Record<string, number>> = {
  pcm: 384,
  wav: 384,
  mp3: 128,
  opus: 64,
  aac: 64,
  flac: 200,
}

/** Our own count of speech: its characters, and tokens where the price is for tokens. */
export function countSpeech(request: SpeechRequest, characters: number, price: Price) {
  return ({ bytes, durationMs }: SpokenAudio): Usage => {
    if (!needsOf(price).tokens) return withDetails(NO_USAGE, { characters })
    const bitsPerMs = SENT_BITS_PER_MS[request.responseFormat ?? 'mp3'] ?? USUAL_BITS_PER_MS
    const milliseconds = durationMs ?? (bytes * 8) / bitsPerMs
    const output = Math.ceil((milliseconds * SPOKEN_TOKENS_PER_SECOND) / 1000)
    const input = estimateTokens(request.input) + estimateTokens(request.instructions)
    return withDetails({ ...NO_USAGE, input, output }, { characters, audioOutput: output })
  }
}
