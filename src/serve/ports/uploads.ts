import type { HeaderFields } from '../../wire/http-answer.ts'

/** A picture a client has uploaded. It lies in temporary storage until the form is disposed of. */
export interface UploadedPicture {
  /** The form field it came in, without a trailing `[]`. */
  readonly field: string
  readonly fileName: string | null
  /** Read from its content; the name and the type a client states are not believed. */
  readonly mediaType: 'image/png' | 'image/jpeg' | 'image/webp'
  readonly bytes: number
  readonly width: number
  readonly height: number
  /** Whether it can have transparent areas at all. */
  readonly hasAlpha: boolean
  /** Its content, read from temporary storage when it is used. */
  readonly content: Blob
}

/** A multipart form. Whoever reads one disposes of it, whatever happens in between. */
export interface UploadedForm {
  /** Text fields in the order they came; one name may come several times. */
  readonly fields: readonly (readonly [name: string, value: string])[]
  readonly pictures: readonly UploadedPicture[]
  dispose(): Promise<void>
}

export interface UploadRules {
  readonly maxPictures: number
  readonly maxBytesPerPicture: number
  readonly maxPixels: number
  readonly maxFields: number
  readonly maxFieldBytes: number
  /** Names of the fields that carry files; a file in any other field is refused. */
  readonly fileFields: readonly string[]
}

/** A form that is still on its way. */
export interface IncomingForm {
  readonly headers: HeaderFields
  readonly body: ReadableStream<Uint8Array> | null
  /** Calls back when nobody waits for the form any more. Gives a function that stops listening. */
  onLeave(listener: () => void): () => void
  /** Counts bytes of it that are kept in memory; throws when there is no room for them. Absent: nobody counts. */
  hold?(bytes: number): void
}

/** Takes a form into temporary storage, or refuses it and leaves nothing behind. */
export type ReadForm = (incoming: IncomingForm, rules: UploadRules) => Promise<UploadedForm>
