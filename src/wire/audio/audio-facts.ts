export const AUDIO_CONTAINERS = ['wav', 'mp3', 'mp4', 'webm', 'ogg', 'flac', 'aac'] as const
export type AudioContainer = (typeof AUDIO_CONTAINERS)[number]

/** What a reader has found so far. */
export interface AudioDraft {
  container: AudioContainer | null
  /** By the header; for a container whose parts have to be counted, of those that were read. */
  durationMs: number | null
  /** For uncompressed audio, the bytes of a second. */
  bytesPerSecond: number | null
  /** Where a reader stopped because it did not understand what follows; null when it has not. */
  lostAt: number | null
}

/** What a reader wants next: so many bytes to look at, or none of so many. */
export type AudioStep = { readonly take: number } | { readonly skip: number }

/** A reader gets the bytes that it takes. It never takes more than 255 at once. */
export type AudioReader = Generator<AudioStep, void, DataView>

export function* take(bytes: number): Generator<AudioStep, DataView, DataView> {
  return yield { take: bytes }
}

export function* skip(bytes: number): Generator<AudioStep, void, DataView> {
  if (bytes > 0) yield { skip: bytes }
}

/** Characters of a header, one per byte. */
export function wordAt(view: DataView, offset: number, length: number): string {
  let word = ''
  for (let index = offset; index < offset + length && index < view.byteLength; index += 1) {
    word += String.fromCharCode(view.getUint8(index))
  }
  return word
}
