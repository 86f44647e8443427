import type { ImagePart, OpaquePart } from '../../conversation/part.ts'
import { isProofFor, type Proof, readProof, sealProof } from '../../conversation/proof.ts'
import { asText, type JsonObject } from '../../wire/json-values.ts'
import type { WireMedia } from './request/schema.ts'

/** The image of a part; null when it has none. */
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

// The format also allows the URL-safe Base64 alphabet.
function normalizeBase64(data: string): string {
  if (!/[-_\s]/.test(data)) return data
  return data.replaceAll(/\s+/g, '').replaceAll('-', '+').replaceAll('_', '/')
}

/** Fields that describe a part but do not determine its kind. */
const SIDE_FIELDS: ReadonlySet<string> = new Set([
  'text',
  'thought',
  'thoughtSignature',
  'videoMetadata',
  'mediaResolution',
  'partMetadata',
])

/** A part that only this format has; null when it is text or empty. */
export function decodeOpaque(part: JsonObject): OpaquePart | null {
  if (asText(part.text) !== null) return null
  const kind = Object.keys(part).find((name) => !SIDE_FIELDS.has(name) && part[name] !== null)
  return kind === undefined ? null : { type: 'opaque', format: FORMAT, kind, value: part }
}

export const FORMAT = 'content-generation'

/** Tells a supplier to accept a call without its signature. */
export const NO_SIGNATURE_NEEDED = 'skip_thought_signature_validator'

/**
 * A placeholder for calls that were not signed. Newer suppliers of this format reject unsigned calls: when the client
 * sends the placeholder back, the gateway knows that it cannot relay the request unchanged.
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

/** A signature sent by a client; null for placeholders. */
export function decodeProof(signature: string | null | undefined, on: Proof['on']): Proof | null {
  if (!signature || signature === NO_SIGNATURE_NEEDED) return null
  const proof = readProof(signature, { format: FORMAT, on })
  return proof.origin === 'none' ? null : proof
}

/** The signature for a client, sealed together with its origin. */
export function sealed(proof: Proof | null): Signed {
  return proof === null ? {} : { thoughtSignature: sealProof(proof) }
}

/** The signature for a supplier; empty unless the supplier made it. */
export function restored(proof: Proof | null, route: string): Signed {
  if (proof === null || !isProofFor(proof, { format: FORMAT, route })) return {}
  return { thoughtSignature: proof.value }
}
