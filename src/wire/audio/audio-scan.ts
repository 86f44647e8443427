import { type AudioContainer, type AudioDraft, type AudioReader, take, wordAt } from './audio-facts.ts'
import { readFlac, readMp4, readOgg, readWav, readWebm } from './read-chunks.ts'
import { readAac, readAacFrame, readMp3, readMpegFrame } from './read-frames.ts'

/** What is known of a piece of audio without decoding it. */
export interface AudioFacts {
  /** By its content; null when it is none that is known. */
  readonly container: AudioContainer | null
  /** By its headers; null when they do not say. */
  readonly durationMs: number | null
  /** For uncompressed audio, the bytes of a second. */
  readonly bytesPerSecond: number | null
}

// Tags after the last frame; more than that is sound that was not understood.
const MAX_TAIL_BYTES = 256 * 1024

/** Reads audio as it comes, in pieces of any size. It keeps a few bytes at most, and never fails. */
export class AudioScan {
  readonly #draft: AudioDraft = { container: null, durationMs: null, bytesPerSecond: null, lostAt: null }
  #reader: AudioReader | null = readAudio(this.#draft)
  /** Bytes that a step still wants to pass over. */
  #toSkip = 0
  #wanted = 0
  #taken = 0
  readonly #buffer = new Uint8Array(256)
  #bytes = 0

  constructor() {
    this.#advance()
  }

  push(piece: Uint8Array): void {
    let offset = 0
    while (offset < piece.length && this.#reader !== null) {
      const room = piece.length - offset
      if (this.#toSkip > 0) {
        const skipped = Math.min(this.#toSkip, room)
        this.#toSkip -= skipped
        offset += skipped
      } else {
        const count = Math.min(this.#wanted - this.#taken, room)
        this.#buffer.set(piece.subarray(offset, offset + count), this.#taken)
        this.#taken += count
        offset += count
      }
      if (this.#toSkip === 0 && this.#taken === this.#wanted) this.#advance(this.#bytes + offset)
    }
    this.#bytes += piece.length
  }

  /** What is known of the audio so far, taken as a whole. */
  get facts(): AudioFacts {
    const { container, bytesPerSecond } = this.#draft
    const durationMs = this.#durationMs()
    return { container, bytesPerSecond, durationMs: durationMs === null ? null : Math.round(durationMs) }
  }

  #durationMs(): number | null {
    const { container, durationMs, bytesPerSecond, lostAt } = this.#draft
    if (bytesPerSecond !== null) {
      // A header may promise more than there is, or nothing.
      const most = (this.#bytes / bytesPerSecond) * 1000
      return Math.min(durationMs ?? most, most)
    }
    const isCounted = container === 'mp3' || container === 'aac' || container === 'ogg'
    const isLost = isCounted && lostAt !== null && this.#bytes - lostAt > MAX_TAIL_BYTES
    return isLost ? null : durationMs
  }

  #advance(position = 0): void {
    const view = new DataView(this.#buffer.buffer, 0, this.#taken)
    this.#wanted = 0
    this.#taken = 0
    try {
      const { done, value } = this.#reader?.next(view) ?? { done: true, value: undefined }
      if (done || value === undefined) this.#end(position)
      else if ('skip' in value) this.#toSkip = value.skip
      else this.#wanted = value.take
    } catch {
      this.#end(position)
    }
  }

  #end(position: number): void {
    this.#reader = null
    this.#draft.lostAt = position
  }
}

/** Tells what it is by its first twelve bytes, and reads on accordingly. */
function* readAudio(draft: AudioDraft): AudioReader {
  const view = yield* take(12)
  // The same memory is used for the next bytes.
  const head = new DataView(Uint8Array.from(new Uint8Array(view.buffer, 0, 12)).buffer)
  draft.container = containerOf(head)
  switch (draft.container) {
    case 'wav':
      return yield* readWav(draft)
    case 'flac':
      return yield* readFlac(draft)
    case 'ogg':
      return yield* readOgg(draft)
    case 'mp4':
      return yield* readMp4(draft, head.getUint32(0))
    case 'webm':
      return yield* readWebm(draft, ebmlHeaderBytes(head))
    case 'mp3':
      return wordAt(head, 0, 3) === 'ID3'
        ? yield* readMp3(draft, null, tagBytesOf(head) - 12)
        : yield* readMp3(draft, head, 0)
    case 'aac':
      return yield* readAac(draft, head)
    default:
      return
  }
}

function containerOf(head: DataView): AudioContainer | null {
  const word = wordAt(head, 0, 4)
  if (word === 'RIFF' && wordAt(head, 8, 4) === 'WAVE') return 'wav'
  if (word === 'fLaC') return 'flac'
  if (word === 'OggS') return 'ogg'
  if (wordAt(head, 4, 4) === 'ftyp') return 'mp4'
  if (head.getUint32(0) === 0x1a45dfa3) return 'webm'
  if (word.startsWith('ID3') || readMpegFrame(head.getUint32(0)) !== null) return 'mp3'
  return readAacFrame(head.getUint32(0), head.getUint16(4)) === null ? null : 'aac'
}

/** The size of a tag has seven bits in each byte. The tag's own head of ten bytes comes on top. */
function tagBytesOf(head: DataView): number {
  const part = (index: number) => head.getUint8(index) & 0x7f
  return (part(6) << 21) + (part(7) << 14) + (part(8) << 7) + part(9) + 10
}

/** The whole size of the header, with its id and the size itself. */
function ebmlHeaderBytes(head: DataView): number {
  const first = head.getUint8(4)
  const more = first === 0 ? 0 : Math.clz32(first) - 24
  let size = first & (0x7f >> more)
  for (let index = 1; index <= more; index += 1) size = size * 256 + head.getUint8(4 + index)
  return 5 + more + size
}
