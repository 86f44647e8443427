import {
  type CacheHint,
  decodeImageUrl,
  encodeImageUrl,
  type ImagePart,
  type OpaquePart,
  type RefusalPart,
  type TextPart,
  textPart,
} from '../../../conversation/part.ts'
import { asObject, type JsonObject } from '../../../wire/json-values.ts'
import { FORMAT } from '../format.ts'
import { asKnownPart, type ChatContent, type ChatContentPart } from '../schema.ts'

export type MessagePart = TextPart | ImagePart | RefusalPart | OpaquePart

const DETAILS: ReadonlySet<string> = new Set(['auto', 'low', 'high', 'original'])

/** Decodes message content and skips empty texts. */
export function decodeContent(content: ChatContent | null | undefined): MessagePart[] {
  if (content === null || content === undefined || content === '') return []
  return typeof content === 'string' ? [textPart(content)] : content.flatMap(decodePart)
}

function decodePart(part: ChatContentPart): MessagePart[] {
  const known = asKnownPart(part)
  switch (known?.type) {
    case 'text':
      return known.text === '' ? [] : [textPart(known.text, decodeCache(part))]
    case 'refusal':
      return known.refusal === '' ? [] : [{ type: 'refusal', text: known.refusal }]
    case 'image_url':
      return [
        {
          type: 'image',
          source: decodeImageUrl(known.image_url.url),
          detail: decodeDetail(known.image_url.detail),
          cache: decodeCache(part),
        },
      ]
    default:
      return [{ type: 'opaque', format: FORMAT, kind: part.type, value: part }]
  }
}

function decodeDetail(detail: string | null | undefined): ImagePart['detail'] {
  return detail && DETAILS.has(detail) ? (detail as ImagePart['detail']) : null
}

export function encodeText(part: TextPart, hasCacheMarks: boolean): JsonObject {
  return { type: 'text', text: part.text, ...(hasCacheMarks && encodeCache(part.cache)) }
}

export function encodeImage(part: ImagePart, hasCacheMarks: boolean): JsonObject {
  const detail = part.detail === null ? {} : { detail: part.detail }
  return {
    type: 'image_url',
    image_url: { url: encodeImageUrl(part.source), ...detail },
    ...(hasCacheMarks && encodeCache(part.cache)),
  }
}

const TTLS: ReadonlyMap<unknown, CacheHint['ttl']> = new Map([
  ['5m', '5m'],
  ['1h', '1h'],
  ['30m', '5m'],
  ['12h', '1h'],
])

/** Reads the cache mark on a part, message or tool. Accepts the official field and `cache_control` of the messages format. */
export function decodeCache(marked: object): CacheHint | null {
  const { prompt_cache_breakpoint, cache_control } = marked as JsonObject
  const mark = asObject(prompt_cache_breakpoint) ?? asObject(cache_control)
  return mark === null ? null : { ttl: TTLS.get(mark.ttl) ?? null }
}

/** Returns the member to spread into a marked part, or an empty object when there is no hint. */
export function encodeCache(hint: CacheHint | null): JsonObject {
  if (hint === null) return {}
  // Every supplier accepts the shorter TTL. An unknown one would be refused.
  return { prompt_cache_breakpoint: { mode: 'explicit', ...(hint.ttl !== null && { ttl: '30m' }) } }
}
