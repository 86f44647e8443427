import { type AudioDraft, type AudioReader, skip, take } from './audio-facts.ts'

const MPEG1_KILOBITS = [
  [0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
  [0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
  [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
] as const
const MPEG2_KILOBITS = [
  [0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
  [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
  [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
] as const
const MPEG1_RATES = [44_100, 48_000, 32_000] as const
const AAC_RATES = [
  96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350,
] as const

/** One piece of sound with its own header. */
export interface AudioFrame {
  readonly bytes: number
  readonly milliseconds: number
}

/** Reads the four bytes at the beginning of an MP3 frame; null when they are none. */
export function readMpegFrame(word: number): AudioFrame | null {
  const version = (word >>> 19) & 3
  const layer = 4 - ((word >>> 17) & 3)
  const rateIndex = (word >>> 10) & 3
  if (word >>> 21 !== 0x7ff || version === 1 || layer === 4 || rateIndex === 3) return null
  const isFirst = version === 3
  const kilobits = (isFirst ? MPEG1_KILOBITS : MPEG2_KILOBITS)[layer - 1]?.[(word >>> 12) & 15] ?? 0
  const sampleRate = (MPEG1_RATES[rateIndex] ?? 0) / (isFirst ? 1 : version === 2 ? 2 : 4)
  if (kilobits === 0) return null
  const samples = layer === 1 ? 384 : layer === 3 && !isFirst ? 576 : 1_152
  const slotBytes = layer === 1 ? 4 : 1
  const slots = Math.floor((samples * kilobits * 1000) / (8 * slotBytes * sampleRate)) + ((word >>> 9) & 1)
  return { bytes: slots * slotBytes, milliseconds: (samples / sampleRate) * 1000 }
}

/** The same for AAC. `more` is the two bytes after the word. */
export function readAacFrame(word: number, more: number): AudioFrame | null {
  const sampleRate = AAC_RATES[(word >>> 10) & 15]
  if (word >>> 20 !== 0xfff || ((word >>> 17) & 3) !== 0 || sampleRate === undefined) return null
  // Thirteen bits, two of which are in the first word.
  const bytes = ((word & 3) << 11) | (more >>> 5)
  return bytes < 7 ? null : { bytes, milliseconds: (1_024 / sampleRate) * 1000 }
}

/** Counts the frames of an MP3 file after its tag. `head` is the first frame's first twelve bytes, or null. */
export function* readMp3(draft: AudioDraft, head: DataView | null, tagBytes: number): AudioReader {
  yield* skip(tagBytes)
  let sum = 0
  let frame = readMpegFrame(head?.getUint32(0) ?? (yield* take(4)).getUint32(0))
  let taken = head === null ? 4 : 12
  while (frame !== null) {
    yield* skip(frame.bytes - taken)
    sum += frame.milliseconds
    draft.durationMs = sum
    frame = readMpegFrame((yield* take(4)).getUint32(0))
    taken = 4
  }
}

/** Counts the frames of an AAC file. `head` is its first twelve bytes. */
export function* readAac(draft: AudioDraft, head: DataView): AudioReader {
  let frame = readAacFrame(head.getUint32(0), head.getUint16(4))
  let taken = 12
  let sum = 0
  while (frame !== null) {
    yield* skip(frame.bytes - taken)
    sum += frame.milliseconds
    draft.durationMs = sum
    const next = yield* take(7)
    frame = readAacFrame(next.getUint32(0), next.getUint16(4))
    taken = 7
  }
}
