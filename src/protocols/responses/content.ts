import type {
  CacheHint,
  Citation,
  ImagePart,
  ImageSource,
  OpaquePart,
  RefusalPart,
  TextPart,
} from '../../conversation/part.ts'
import { asArray, asObject, asText, type JsonObject } from '../../wire/json-values.ts'
import { FORMAT } from './format.ts'

export type ContentPart = TextPart | ImagePart | RefusalPart | OpaquePart

const DETAILS: ReadonlySet<unknown> = new Set(['auto', 'low', 'high', 'original'])

/** Decodes the content of a message or tool output. Accepts input and output part types under any role. */
export function decodeContent(content: unknown): ContentPart[] {
  if (typeof content === 'string') return content === '' ? [] : [plainText(content, null)]
  return asArray(content).flatMap((part) => {
    const known = asObject(part)
    return known === null ? [] : (decodePart(known) ?? [])
  })
}

/** Returns null for an empty part. */
export function decodePart(part: JsonObject): ContentPart | null {
  switch (part.type) {
    case 'input_text':
    case 'output_text':
    case 'text':
    case 'summary_text':
    case 'reasoning_text':
      return decodeText(part)
    case 'refusal': {
      const text = asText(part.refusal)
      return text === null ? null : { type: 'refusal', text }
    }
    case 'input_image':
      return decodeImage(part)
    default:
      return opaqueContent(part)
  }
}

function decodeText(part: JsonObject): TextPart | null {
  const text = asText(part.text)
  if (text === null) return null
  const citations = asArray(part.annotations).flatMap((annotation) => decodeCitation(annotation) ?? [])
  return { ...plainText(text, decodeCache(part)), citations }
}

function plainText(text: string, cache: CacheHint | null): TextPart {
  return { type: 'text', text, cache, citations: [], proof: null }
}

function decodeImage(part: JsonObject): ContentPart {
  const url = asText(part.image_url)
  // Only the supplier that stores a file can read it.
  if (url === null) return opaqueContent(part)
  const detail = DETAILS.has(part.detail) ? (part.detail as ImagePart['detail']) : null
  return { type: 'image', source: decodeImageUrl(url), detail, cache: decodeCache(part) }
}

/** A part that only this format has. The wrapper tells it apart from an opaque item. */
function opaqueContent(part: JsonObject): OpaquePart {
  return {
    type: 'opaque',
    format: FORMAT,
    kind: asText(part.type) ?? 'content',
    value: { content_part: part },
  }
}

/** The content part inside an opaque part, or null when it holds a whole item. */
export function contentOfOpaque(part: OpaquePart): JsonObject | null {
  return asObject(asObject(part.value)?.content_part)
}

function decodeCache(part: JsonObject): CacheHint | null {
  const breakpoint = asObject(part.prompt_cache_breakpoint)
  if (breakpoint === null) return null
  if (breakpoint.ttl === '12h') return { ttl: '1h' }
  return { ttl: breakpoint.ttl === '30m' ? '5m' : null }
}

export interface ContentOptions {
  readonly role: 'user' | 'assistant'
  readonly hasCacheBreakpoints: boolean
}

/** Encodes a content part for a supplier. Returns null when the role cannot hold it. */
export function encodePart(part: ContentPart, options: ContentOptions): JsonObject | null {
  switch (part.type) {
    case 'text':
      return { ...encodeText(part, options), ...encodeCache(part.cache, options) }
    case 'refusal':
      return options.role === 'assistant'
        ? { type: 'refusal', refusal: part.text }
        : { type: 'input_text', text: part.text }
    case 'image':
      if (options.role === 'assistant') return null
      return {
        type: 'input_image',
        image_url: encodeImageUrl(part.source),
        ...(part.detail !== null && { detail: part.detail }),
        ...encodeCache(part.cache, options),
      }
    case 'opaque':
      return part.format === FORMAT ? contentOfOpaque(part) : null
  }
}

function encodeText(part: TextPart, { role }: ContentOptions): JsonObject {
  if (role === 'user') return { type: 'input_text', text: part.text }
  const annotations = part.citations.map((citation) => encodeCitation(citation, part.text.length))
  return { type: 'output_text', text: part.text, annotations }
}

function encodeCache(cache: CacheHint | null, { hasCacheBreakpoints, role }: ContentOptions): JsonObject {
  if (cache === null || !hasCacheBreakpoints || role === 'assistant') return {}
  return { prompt_cache_breakpoint: { mode: 'explicit', ...encodeTtl(cache) } }
}

// This format has other TTLs. Each maps to the next longer one.
function encodeTtl({ ttl }: CacheHint): JsonObject {
  if (ttl === null) return {}
  return { ttl: ttl === '1h' ? '12h' : '30m' }
}

const DATA_URL = /^data:([^,;]*)((?:;[^,;]*)*),/i

/** The first Base64 characters of the image types that models accept. */
const TYPES_BY_START: readonly (readonly [string, string])[] = [
  ['iVBORw0KGgo', 'image/png'],
  ['/9j/', 'image/jpeg'],
  ['R0lGOD', 'image/gif'],
  ['UklGR', 'image/webp'],
]

/** Decodes an image URL. A data URL becomes the image itself. */
function decodeImageUrl(url: string): ImageSource {
  const head = DATA_URL.exec(url)
  if (head === null) return { type: 'url', url, mediaType: null }
  const body = url.slice(head[0].length)
  const isBase64 = /;base64$/i.test(head[2] ?? '')
  const data = isBase64 ? body.replaceAll(/\s+/g, '') : Buffer.from(unescapeUrl(body)).toString('base64')
  return { type: 'base64', mediaType: mediaTypeOf(head[1] ?? '', data), data }
}

function encodeImageUrl(source: ImageSource): string {
  return source.type === 'url' ? source.url : `data:${source.mediaType};base64,${source.data}`
}

function mediaTypeOf(declared: string, data: string): string {
  const type = declared.trim().toLowerCase()
  if (type === 'image/jpg') return 'image/jpeg'
  if (type.startsWith('image/')) return type
  return TYPES_BY_START.find(([start]) => data.startsWith(start))?.[1] ?? (type || 'application/octet-stream')
}

function unescapeUrl(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Decodes a citation. Returns null for annotations of other types. */
export function decodeCitation(annotation: unknown): Citation | null {
  const { type, url, title, start_index, end_index } = asObject(annotation) ?? {}
  const address = asText(url)
  if (type !== 'url_citation' || address === null) return null
  return {
    url: address,
    title: asText(title),
    citedText: null,
    start: readOffset(start_index),
    end: readOffset(end_index),
  }
}

/** The official clients require every member, so a citation without offsets covers the whole text. */
export function encodeCitation(citation: Citation, textLength: number): JsonObject {
  return {
    type: 'url_citation',
    start_index: citation.start ?? 0,
    end_index: citation.end ?? textLength,
    url: citation.url,
    title: citation.title ?? '',
  }
}

function readOffset(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null
}
