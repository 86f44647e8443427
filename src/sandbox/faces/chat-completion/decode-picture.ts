import type { Picture } from '../../performance/ask.ts'
import { Refusal } from '../../refusal.ts'

/** Reads what a picture's address tells about it. A linked picture is never fetched. */
export function decodePicture(url: string): Picture {
  if (/^https?:\/\//i.test(url)) return { mediaType: null, bytes: null }
  const comma = url.indexOf(',')
  // Only the beginning is matched, so that a picture of many megabytes costs no backtracking.
  const mediaType = /^data:([^;,]+);base64$/i.exec(url.slice(0, Math.max(0, comma)).slice(0, 200))?.[1]
  if (mediaType === undefined) {
    throw new Refusal('bad-request', 'Invalid image_url: expected an http(s) address or a base64 data URL.', {
      field: 'messages',
    })
  }
  return { mediaType, bytes: countBase64Bytes(url, comma + 1) }
}

function countBase64Bytes(text: string, start: number): number {
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0
  return Math.floor(((text.length - start) * 3) / 4) - padding
}
