import type { ImagePart } from '../../conversation/part.ts'
import type { JsonObject } from '../../wire/json-values.ts'
import type { WireMedia } from './request/schema.ts'

/** The picture of a part; null when it has none. */
export function decodeImage({ inlineData, fileData }: WireMedia): ImagePart | null {
  if (inlineData) {
    const source = {
      type: 'base64',
      mediaType: normalizeMediaType(inlineData.mimeType),
      data: normalizeBase64(inlineData.data),
    } as const
    return { type: 'image', source, detail: null, cache: null }
  }
  if (!fileData) return null
  const mediaType = fileData.mimeType ? normalizeMediaType(fileData.mimeType) : null
  return {
    type: 'image',
    source: { type: 'url', url: fileData.fileUri, mediaType },
    detail: null,
    cache: null,
  }
}

export function encodeImage({ source }: ImagePart): JsonObject {
  if (source.type === 'base64') return { inlineData: { mimeType: source.mediaType, data: source.data } }
  return { fileData: { ...(source.mediaType && { mimeType: source.mediaType }), fileUri: source.url } }
}

function normalizeMediaType(mediaType: string): string {
  const lowerCase = mediaType.toLowerCase()
  return lowerCase === 'image/jpg' ? 'image/jpeg' : lowerCase
}

// This format's bytes may also be written in the alphabet for addresses.
function normalizeBase64(data: string): string {
  if (!/[-_\s]/.test(data)) return data
  return data.replaceAll(/\s+/g, '').replaceAll('-', '+').replaceAll('_', '/')
}
