import type { Picture } from '../performance/ask.ts'

export const LINKED_PICTURE: Picture = { mediaType: null, bytes: null }

/** Reads what a picture's address tells about it; null when it is no such address. A linked picture is never fetched. */
export function readPictureAddress(url: string): Picture | null {
  if (/^https?:\/\//i.test(url)) return LINKED_PICTURE
  const comma = url.indexOf(',')
  // Only the beginning is matched, so that a picture of many megabytes costs no backtracking.
  const mediaType = /^data:([^;,]+);base64$/i.exec(url.slice(0, Math.max(0, comma)).slice(0, 200))?.[1]
  return mediaType === undefined ? null : readPictureData(mediaType, url.slice(comma + 1))
}

export function readPictureData(mediaType: string, base64: string): Picture {
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0
  return { mediaType, bytes: Math.floor((base64.length * 3) / 4) - padding, base64 }
}
