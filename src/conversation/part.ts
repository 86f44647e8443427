import type { Proof } from './proof.ts'

/** A mark that a supplier may cache the prompt up to and including the part that carries it. */
export interface CacheHint {
  /** How long to keep it; null when the client did not specify it. */
  readonly ttl: '5m' | '1h' | null
}

export interface TextPart {
  readonly type: 'text'
  readonly text: string
  readonly cache: CacheHint | null
  readonly citations: readonly Citation[]
  /** A supplier may sign plain text too. */
  readonly proof: Proof | null
}

export interface ImagePart {
  readonly type: 'image'
  readonly source: ImageSource
  readonly detail: 'auto' | 'low' | 'high' | 'original' | null
  readonly cache: CacheHint | null
}

export type ImageSource =
  /** `data` is Base64 without line breaks; `mediaType` is lower-case, `image/jpeg` never `image/jpg`. */
  | { readonly type: 'base64'; readonly mediaType: string; readonly data: string }
  | { readonly type: 'url'; readonly url: string; readonly mediaType: string | null }

/** What a model thought before it answered. */
export interface ThinkingPart {
  readonly type: 'thinking'
  /** Empty when the supplier hides its thoughts and sends only a proof. */
  readonly text: string
  /** The supplier's signature over the thought; null when there is none. */
  readonly proof: Proof | null
  /** The whole thought is inside the proof, encrypted. */
  readonly isRedacted: boolean
}

export interface ToolCallPart {
  readonly type: 'tool-call'
  readonly id: string
  readonly name: string
  /** `function`: input is JSON text. `custom`: input is free text. */
  readonly kind: 'function' | 'custom'
  /** Exactly as the model wrote it. For a function this is usually a JSON object, but not always. */
  readonly input: string
  /** Set when the tool was defined inside a namespace. */
  readonly namespace: string | null
  readonly proof: Proof | null
}

export interface ToolResultPart {
  readonly type: 'tool-result'
  readonly callId: string
  /** Name of the tool that was called, looked up by the decoder; null when the call is not in the conversation. */
  readonly name: string | null
  readonly kind: 'function' | 'custom'
  readonly parts: readonly (TextPart | ImagePart | OpaquePart)[]
  readonly isError: boolean
  readonly cache: CacheHint | null
}

/** The model declined to answer. */
export interface RefusalPart {
  readonly type: 'refusal'
  readonly text: string
}

/**
 * Content that only one format has. It is sent unchanged to suppliers of that format; for others it becomes its text, or is
 * dropped when it has none.
 */
export interface OpaquePart {
  readonly type: 'opaque'
  /** Name of the protocol it came from. */
  readonly format: string
  /** Its name in the list of dropped parameters, such as `document`. */
  readonly kind: string
  readonly value: unknown
  /** What it says, for content that consists of text. */
  readonly text?: string
}

export type Part =
  | TextPart
  | ImagePart
  | ThinkingPart
  | ToolCallPart
  | ToolResultPart
  | RefusalPart
  | OpaquePart

/** The source of a statement. Offsets are UTF-16 positions in the text of its part. */
export interface Citation {
  readonly url: string
  readonly title: string | null
  readonly citedText: string | null
  readonly start: number | null
  readonly end: number | null
}

/** Creates a plain text part. */
export function textPart(text: string, cache: CacheHint | null = null): TextPart {
  return { type: 'text', text, cache, citations: [], proof: null }
}

/** How the Base64 of each image type begins. */
const SIGNATURES: readonly (readonly [start: string, mediaType: string])[] = [
  ['/9j/', 'image/jpeg'],
  ['iVBORw0KGgo', 'image/png'],
  ['R0lGOD', 'image/gif'],
  ['UklGR', 'image/webp'],
]

/** Reads an image URL. A data URL is split into type and bytes; other URLs stay as they are. */
export function decodeImageUrl(url: string): ImageSource {
  const comma = url.indexOf(',')
  if (!/^data:/i.test(url) || comma === -1) return { type: 'url', url, mediaType: null }
  const [type = '', ...options] = url.slice('data:'.length, comma).split(';')
  const isBase64 = options.some((option) => option.trim().toLowerCase() === 'base64')
  const content = unescapeUrl(url.slice(comma + 1))
  const data = isBase64 ? content.replace(/\s+/g, '') : Buffer.from(content).toString('base64')
  return { type: 'base64', mediaType: mediaTypeOf(type, data), data }
}

/** The URL of an image; bytes become a data URL. */
export function encodeImageUrl(source: ImageSource): string {
  return source.type === 'url' ? source.url : `data:${source.mediaType};base64,${source.data}`
}

/** Detects the media type of a Base64 image; null when it is unknown. */
export function imageTypeOf(data: string): string | null {
  return SIGNATURES.find(([start]) => data.startsWith(start))?.[1] ?? null
}

function mediaTypeOf(sent: string, data: string): string {
  const type = sent.trim().toLowerCase()
  if (type === 'image/jpg') return 'image/jpeg'
  if (type.startsWith('image/')) return type
  return imageTypeOf(data) ?? (type === '' ? 'application/octet-stream' : type)
}

function unescapeUrl(text: string): string {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
