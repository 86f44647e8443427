import type { ModelTraits } from '../actors/actor.ts'
import type { ImageAsk, ImageUsage } from '../images/make-images.ts'
import type { ImageSize } from '../images/raster.ts'
import type { Ask, SeenImage } from '../performance/ask.ts'
import type { Performance } from '../performance/performance.ts'
import type { SandboxError } from '../sandbox-error.ts'
import type { Seals } from '../seals.ts'

/** One wire format the sandbox can be addressed in. It reads requests and writes answers; it decides nothing. */
export interface Face {
  readonly name: string
  /** The prefix of this format's paths. Errors below it are written in this format. */
  readonly home: string
  claims(method: string, path: string): boolean
  /** Whether a request to this path is a form instead of JSON. */
  takesForm?(path: string): boolean
  /** The largest form that is taken; the length must then be said in advance. Any size when absent. */
  readonly maxFormBytes?: number
  /** The key the caller presented; null when none. */
  readKey(request: Request): string | null
  /** How this format says that a key is wrong. */
  refuseKey(): SandboxError
  /** Reads a request; throws a SandboxError that names the field at fault. */
  open(incoming: Incoming): Scene
  writeError(refusal: SandboxError): unknown
  /** Answers a question about the models there are; null when the path asks for something else. */
  list?(path: string, catalog: Catalog): unknown
}

export interface Incoming {
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: Headers
  /** What its JSON says, or a `Form`. */
  readonly body: unknown
  /** Unique within one sandbox; ids are made from it. */
  readonly callNumber: number
  readonly nowMs: number
  readonly seals: Seals
  /** null when there is no such model. */
  traitsOf(model: string): ModelTraits | null
  /** Keeps an image for a while; gives the address it can be fetched from. */
  keepImage(png: Uint8Array<ArrayBuffer>): string
}

interface UploadedFile {
  readonly name: string
  /** As the caller calls it. */
  readonly type: string
  readonly bytes: Uint8Array
}

export type FormValue = string | UploadedFile

/** A body of named values, each of which may come several times. */
export type Form = Map<string, FormValue[]>

export interface Catalog {
  readonly models: readonly { readonly model: string; readonly summary: string }[]
  readonly startedAtMs: number
}

/** A request that was understood, and how to write what comes of it. */
export type Scene = AnswerScene | CountScene | ImageScene | ResultScene

/** The caller wants the model to speak. */
export interface AnswerScene {
  readonly type: 'answer'
  readonly ask: Ask
  /** For formats with several prompts in a request: each of them. `ask` has them all. */
  readonly asks?: readonly Ask[]
  readonly stream: boolean
  /** The media type of a stream; server-sent events when absent. */
  readonly streamType?: string
  writeReply(performance: Performance): unknown
  /** Lazily, so that an answer of any length is written only as fast as it is read. */
  writeFrames(performance: Performance): Iterable<Frame>
  /** The bytes that tell a reader in mid-stream, after so many frames, that the answer has failed. */
  writeErrorFrame(refusal: SandboxError, sentFrames: number): string
}

/** The caller only wants to know how long its prompt is. */
export interface CountScene {
  readonly type: 'count'
  readonly ask: Ask
  writeCount(tokens: number): unknown
}

/** The caller wants images and nothing else. */
export interface ImageScene {
  readonly type: 'images'
  readonly ask: ImageAsk
  writeReply(made: MadeImages): unknown
  /** Set when the caller wants a stream of events. */
  readonly stream?: ImageStream
}

export interface ImageStream {
  /** How many images come before each final one. */
  readonly partialImages: number
  writePartial(png: Uint8Array, index: number, made: Pick<MadeImages, 'size'>): string
  /** `usage` is that of this image. */
  writeFinal(png: Uint8Array, made: Pick<MadeImages, 'size' | 'usage'>): string
  writeErrorFrame(refusal: SandboxError): string
}

/** The caller wants a result that is neither spoken nor painted, such as embeddings. */
export interface ResultScene {
  readonly type: 'result'
  readonly ask: { readonly model: string }
  /** `hasUsage`: whether the supplier is to report what was used. */
  writeReply(hasUsage: boolean): unknown
  /** Set when the reply is a text of this media type instead of JSON. */
  readonly contentType?: string
  /** Set when the answer comes in pieces, of audio or of events; it has no reply then. */
  readonly pieces?: { readonly contentType: string; write(hasUsage: boolean): Iterable<Frame> }
}

export interface MadeImages {
  /** PNG files, all of one size. */
  readonly images: readonly Uint8Array<ArrayBuffer>[]
  readonly size: ImageSize
  /** null when the supplier is to report none. */
  readonly usage: ImageUsage | null
}

export interface Frame {
  readonly text: string
  /** Sent instead of the text, by answers that are not text. */
  readonly bytes?: Uint8Array
  /** What the frame is for, which is all that faults need to know about it. */
  readonly part: 'content' | 'finish' | 'usage' | 'end'
}

export const LINKED_IMAGE: SeenImage = { mediaType: null, bytes: null }

/** Reads what an image's address tells about it; null when it is no such address. A linked image is never fetched. */
export function readImageAddress(url: string): SeenImage | null {
  if (/^https?:\/\//i.test(url)) return LINKED_IMAGE
  const comma = url.indexOf(',')
  // Only the beginning is matched, so that an image of many megabytes costs no backtracking.
  const mediaType = /^data:([^;,]+);base64$/i.exec(url.slice(0, Math.max(0, comma)).slice(0, 200))?.[1]
  return mediaType === undefined ? null : readImageData(mediaType, url.slice(comma + 1))
}

export function readImageData(mediaType: string, base64: string): SeenImage {
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0
  return { mediaType, bytes: Math.floor((base64.length * 3) / 4) - padding, base64 }
}
