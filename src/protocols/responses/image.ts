import type { ImageSource } from '../../conversation/part.ts'

const DATA_URL = /^data:([^,;]*)((?:;[^,;]*)*),/i

/** First characters of the Base64 text of the pictures that models take. */
const TYPES_BY_START: readonly (readonly [string, string])[] = [
  ['iVBORw0KGgo', 'image/png'],
  ['/9j/', 'image/jpeg'],
  ['R0lGOD', 'image/gif'],
  ['UklGR', 'image/webp'],
]

/** A picture's address, or the picture itself when the address is a data URL. */
export function decodeImageUrl(url: string): ImageSource {
  const head = DATA_URL.exec(url)
  if (head === null) return { type: 'url', url, mediaType: null }
  const body = url.slice(head[0].length)
  const isBase64 = /;base64$/i.test(head[2] ?? '')
  const data = isBase64 ? body.replaceAll(/\s+/g, '') : Buffer.from(unescapeUrl(body)).toString('base64')
  return { type: 'base64', mediaType: mediaTypeOf(head[1] ?? '', data), data }
}

export function encodeImageUrl(source: ImageSource): string {
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
