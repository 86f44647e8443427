import type { AudioFacts } from '../../wire/audio/audio-scan.ts'
import type { HeaderFields } from '../../wire/http-answer.ts'

/** An image that a client uploaded. It stays in temporary storage until the form is disposed of. */
export interface UploadedImage {
  /** The name of its form field, without a trailing `[]`. */
  readonly field: string
  readonly fileName: string | null
  /** Detected from its content; the name and type that the client sent are ignored. */
  readonly mediaType: 'image/png' | 'image/jpeg' | 'image/webp'
  readonly bytes: number
  readonly width: number
  readonly height: number
  /** Whether it has an alpha channel. */
  readonly hasAlpha: boolean
  /** Its content, loaded from temporary storage on use. */
  readonly content: Blob
}

/** A piece of audio that a client uploaded. Like an image, it stays in temporary storage. */
export interface UploadedAudio extends AudioFacts {
  readonly field: string
  readonly fileName: string | null
  readonly bytes: number
  readonly content: Blob
}

/** A multipart form. Always dispose of it, even after an error. */
export interface UploadedForm {
  /** Text fields in the order they were sent; a name may occur several times. */
  readonly fields: readonly (readonly [name: string, value: string])[]
  /** The files, by what the rules say they must be. */
  readonly images: readonly UploadedImage[]
  readonly audio: readonly UploadedAudio[]
  dispose(): Promise<void>
}

export interface UploadRules {
  /** What files must be. Audio is recognised as far as possible, and any other file passes for audio too. */
  readonly content: { readonly type: 'image'; readonly maxPixels: number } | { readonly type: 'audio' }
  readonly maxFiles: number
  /** Absent: as large as a form may be. */
  readonly maxBytesPerFile?: number
  readonly maxFields: number
  readonly maxFieldBytes: number
  /** The fields that may contain files; a file in any other field is refused. */
  readonly fileFields: readonly string[]
}

/** A form that is being uploaded. */
export interface IncomingForm {
  readonly headers: HeaderFields
  readonly body: ReadableStream<Uint8Array> | null
  /** Calls the listener when the client disconnects. Returns a function that removes the listener. */
  onLeave(listener: () => void): () => void
  /** Counts bytes kept in memory, and throws when there is no room for them. Absent: they are not counted. */
  hold?(bytes: number): void
  /** Frees the memory of a chunk of the body that nobody uses any more. Absent: that is left to the runtime. */
  release?(chunk: Uint8Array): void
}

/** Reads a form into temporary storage. A refused form leaves no files behind. */
export type ReadForm = (incoming: IncomingForm, rules: UploadRules) => Promise<UploadedForm>
