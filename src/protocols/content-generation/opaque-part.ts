import type { OpaquePart } from '../../conversation/part.ts'
import { asText, type JsonObject } from '../../wire/json-values.ts'
import { FORMAT } from './proofs.ts'

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
