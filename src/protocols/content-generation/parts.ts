import type { ImagePart, OpaquePart } from '../../conversation/part.ts'
import { isProofFor, type Proof, readProof, sealProof } from '../../conversation/proof.ts'
import { asText, type JsonObject } from '../../wire/json-values.ts'
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

/** Fields that say something about a part but are not what it is. */
const SIDE_FIELDS: ReadonlySet<string> = new Set([
  'text',
  'thought',
  'thoughtSignature',
  'videoMetadata',
  'mediaResolution',
  'partMetadata',
])

/** A part that is neither text nor anything else that other formats know; null when it is plain text or empty. */
export function decodeOpaque(part: JsonObject): OpaquePart | null {
  if (asText(part.text) !== null) return null
  const kind = Object.keys(part).find((name) => !SIDE_FIELDS.has(name) && part[name] !== null)
  return kind === undefined ? null : { type: 'opaque', format: FORMAT, kind, value: part }
}

export const FORMAT = 'content-generation'

/** The value that tells a supplier to go without the signature of a call it did not make itself. */
export const NO_SIGNATURE_NEEDED = 'skip_thought_signature_validator'

/**
 * Stands on calls whose supplier signs nothing. Newer suppliers of this format refuse a call without a signature, so
 * when the client gives it back, it must show that the request cannot be relayed to one of them as it is.
 */
export const UNSIGNED_CALL: Proof = {
  origin: 'none',
  model: '',
  route: '',
  on: 'tool-call',
  value: '',
  itemId: null,
}

export interface Signed {
  readonly thoughtSignature?: string
}

/** A signature as a client sent it; null when it only says that there is none. */
export function decodeProof(signature: string | null | undefined, on: Proof['on']): Proof | null {
  if (!signature || signature === NO_SIGNATURE_NEEDED) return null
  const proof = readProof(signature, { format: FORMAT, on })
  return proof.origin === 'none' ? null : proof
}

/** What a client is shown: sealed, so that it comes back with all that is known of it. */
export function sealed(proof: Proof | null): Signed {
  return proof === null ? {} : { thoughtSignature: sealProof(proof) }
}

/** What a supplier is shown: its own signature, and nobody else's. */
export function restored(proof: Proof | null, route: string): Signed {
  if (proof === null || !isProofFor(proof, { format: FORMAT, route })) return {}
  return { thoughtSignature: proof.value }
}
