import type { SeenImage } from '../performance/ask.ts'

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
