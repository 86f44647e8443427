import type { ImageSource } from './part.ts'

/** The first characters that the Base64 of each kind of picture begins with. */
const SIGNATURES: readonly (readonly [start: string, mediaType: string])[] = [
  ['/9j/', 'image/jpeg'],
  ['iVBORw0KGgo', 'image/png'],
  ['R0lGOD', 'image/gif'],
  ['UklGR', 'image/webp'],
]

/** A picture's address as formats write it: a data URL is taken apart, any other address stays one. */
export function decodeImageUrl(url: string): ImageSource {
  const comma = url.indexOf(',')
  if (!/^data:/i.test(url) || comma === -1) return { type: 'url', url, mediaType: null }
  const [type = '', ...options] = url.slice('data:'.length, comma).split(';')
  const isBase64 = options.some((option) => option.trim().toLowerCase() === 'base64')
  const content = unescapeUrl(url.slice(comma + 1))
  const data = isBase64 ? content.replace(/\s+/g, '') : Buffer.from(content).toString('base64')
  return { type: 'base64', mediaType: mediaTypeOf(type, data), data }
}

/** The address of a picture; its bytes become a data URL. */
export function encodeImageUrl(source: ImageSource): string {
  return source.type === 'url' ? source.url : `data:${source.mediaType};base64,${source.data}`
}

/** What a picture in Base64 is; null when it is none that is known. */
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
