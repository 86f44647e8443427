import { type AudioDraft, type AudioReader, skip, take, wordAt } from './audio-facts.ts'

// Beyond these a header is wrong, or a trap.
const SAMPLE_RATES = { least: 1_000, most: 768_000 }
const MAX_BLOCK_BYTES = 256

const UNCOMPRESSED: readonly number[] = [0x0001, 0x0003, 0x0006, 0x0007, 0xfffe]
/** Written by programs that do not know the size yet. */
const UNKNOWN_SIZES: readonly number[] = [0, 0xffff_ffff, 0x7fff_ffff]

/** Reads a WAV file after its first twelve bytes, up to its samples. */
export function* readWav(draft: AudioDraft): AudioReader {
  for (;;) {
    const head = yield* take(8)
    const size = head.getUint32(4, true)
    const name = wordAt(head, 0, 4)
    if (name === 'data') {
      const rate = draft.bytesPerSecond
      if (rate !== null && !UNKNOWN_SIZES.includes(size)) draft.durationMs = (size / rate) * 1000
      return
    }
    // Chunks are padded to whole words.
    const padded = size + (size % 2)
    if (name !== 'fmt ' || size < 16) {
      yield* skip(padded)
      continue
    }
    draft.bytesPerSecond = readRate(yield* take(16))
    yield* skip(padded - 16)
  }
}

function readRate(format: DataView): number | null {
  const sampleRate = format.getUint32(4, true)
  const blockBytes = format.getUint16(12, true)
  if (sampleRate < SAMPLE_RATES.least || sampleRate > SAMPLE_RATES.most) return null
  if (blockBytes === 0 || blockBytes > MAX_BLOCK_BYTES) return null
  return UNCOMPRESSED.includes(format.getUint16(0, true)) ? sampleRate * blockBytes : null
}

/** Reads a FLAC file after its first twelve bytes, which have the beginning of its only required block. */
export function* readFlac(draft: AudioDraft): AudioReader {
  const info = yield* take(14)
  const word = info.getUint32(6)
  const sampleRate = word >>> 12
  const samples = (word & 0xf) * 2 ** 32 + info.getUint32(10)
  if (sampleRate > 0 && samples > 0) draft.durationMs = (samples / sampleRate) * 1000
}

/** Reads the pages of an Ogg file, whose first twelve bytes have been taken. The position of the last page is its length. */
export function* readOgg(draft: AudioDraft): AudioReader {
  let bytes = yield* readOggPage(12, null)
  // Enough for the beginning of every codec's own header.
  const beginning = yield* take(Math.min(bytes, 64))
  yield* skip(bytes - beginning.byteLength)
  const codec = oggCodec(beginning)
  for (;;) {
    bytes = yield* readOggPage(0, codec && { draft, ...codec })
    yield* skip(bytes)
  }
}

interface OggClock {
  readonly draft: AudioDraft
  readonly sampleRate: number
  readonly skippedSamples: number
}

class LostReader extends Error {}

/** Returns the size of the page's content. */
function* readOggPage(taken: number, clock: OggClock | null): Generator<{ take: number }, number, DataView> {
  const head = yield { take: 27 - taken }
  if (taken === 0 && wordAt(head, 0, 4) !== 'OggS') throw new LostReader()
  const position = taken === 0 ? head.getBigInt64(6, true) : 0n
  const count = head.getUint8(26 - taken)
  const lengths = count === 0 ? null : yield { take: count }
  if (clock !== null && position > 0n) {
    const samples = Number(position) - clock.skippedSamples
    if (samples > 0) clock.draft.durationMs = (samples / clock.sampleRate) * 1000
  }
  let bytes = 0
  for (let index = 0; index < count; index += 1) bytes += lengths?.getUint8(index) ?? 0
  return bytes
}

function oggCodec(beginning: DataView): Omit<OggClock, 'draft'> | null {
  const name = wordAt(beginning, 0, 8)
  if (name === 'OpusHead' && beginning.byteLength >= 12)
    return { sampleRate: 48_000, skippedSamples: beginning.getUint16(10, true) }
  const isVorbis = name.startsWith('\u0001vorbis') && beginning.byteLength >= 16
  const sampleRate = isVorbis ? beginning.getUint32(12, true) : 0
  return sampleRate > 0 ? { sampleRate, skippedSamples: 0 } : null
}

/** Reads an MP4 file whose first twelve bytes have been taken: the size of its first box, `ftyp`, and a name. */
export function* readMp4(draft: AudioDraft, firstBox: number): AudioReader {
  yield* skip(firstBox - 12)
  for (;;) {
    const head = yield* take(8)
    const name = wordAt(head, 4, 4)
    let size = head.getUint32(0) - 8
    if (size === 1 - 8) size = Number((yield* take(8)).getBigUint64(0)) - 16
    // The boxes within this one follow at once.
    if (name === 'moov') continue
    if (name === 'mvhd') return readMovieLength(yield* take(Math.min(32, Math.max(20, size))), draft)
    // A box of no size goes on to the end.
    if (size < 0) return
    yield* skip(size)
  }
}

function readMovieLength(box: DataView, draft: AudioDraft): void {
  const isLong = box.getUint8(0) === 1 && box.byteLength >= 32
  const ticksPerSecond = box.getUint32(isLong ? 20 : 12)
  const ticks = isLong ? Number(box.getBigUint64(24)) : box.getUint32(16)
  const isKnown = ticksPerSecond > 0 && ticks > 0 && ticks !== 0xffff_ffff
  if (isKnown && Number.isSafeInteger(ticks)) draft.durationMs = (ticks / ticksPerSecond) * 1000
}

const SEGMENT = 0x18538067
const INFO = 0x1549a966
const TIMESTAMP_SCALE = 0x2ad7b1
const DURATION = 0x4489
const CLUSTER = 0x1f43b675

/** Reads a WebM file up to its first cluster. The first twelve bytes begin with the id of the EBML header and its size. */
export function* readWebm(draft: AudioDraft, headerBytes: number): AudioReader {
  yield* skip(headerBytes - 12)
  let nanosecondsPerTick = 1_000_000
  for (;;) {
    const id = yield* takeNumber(true)
    const size = yield* takeNumber(false)
    if (id === CLUSTER) return
    // The elements within these follow at once.
    if (id === SEGMENT || id === INFO) continue
    if (id === DURATION && (size === 4 || size === 8)) {
      return readTicks(yield* take(size), nanosecondsPerTick, draft)
    }
    if (id === TIMESTAMP_SCALE && size > 0 && size <= 6) nanosecondsPerTick = wholeOf(yield* take(size))
    else yield* skip(size)
  }
}

function readTicks(value: DataView, nanosecondsPerTick: number, draft: AudioDraft): void {
  const ticks = value.byteLength === 4 ? value.getFloat32(0) : value.getFloat64(0)
  const durationMs = (ticks * nanosecondsPerTick) / 1_000_000
  if (durationMs > 0 && Number.isFinite(durationMs)) draft.durationMs = durationMs
}

/** A number of one to eight bytes. The leading zeros of the first one say how many follow; ids keep their marker. */
function* takeNumber(isId: boolean): Generator<{ take: number }, number, DataView> {
  const first = (yield { take: 1 }).getUint8(0)
  if (first === 0) throw new LostReader()
  const more = Math.clz32(first) - 24
  const rest = more === 0 ? 0 : wholeOf(yield { take: more })
  const kept = isId ? first : first & (0x7f >> more)
  return kept * 256 ** more + rest
}

function wholeOf(view: DataView): number {
  let value = 0
  for (let index = 0; index < view.byteLength; index += 1) value = value * 256 + view.getUint8(index)
  return value
}
