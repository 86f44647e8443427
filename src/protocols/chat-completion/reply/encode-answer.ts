import type { ImagePart, ToolCallPart } from '../../../conversation/part.ts'
import { encodeImageUrl } from '../../conversation/part.ts'
import { sealProof } from '../../../conversation/proof.ts'
import type { JsonObject } from '../../../wire/json-values.ts'
import { encodeCallSignature } from '../thinking.ts'

/** Stands between two thoughts of one answer: the client sees them as one text. */
export const THOUGHT_BREAK = '\n\n'

/** Clients parse arguments at once, so a call without any still has an object. */
export const NO_INPUT = '{}'

/** A picture in an answer. The official format has none; this is how those who give them write them. */
export function encodeAnswerImage({ source }: ImagePart): JsonObject {
  return { type: 'image_url', image_url: { url: encodeImageUrl(source) } }
}

/** A call with this much of its input. */
export function encodeCall({ id, name, kind, proof }: ToolCallPart, input: string): JsonObject {
  const called = kind === 'function' ? { function: { name, arguments: input } } : { custom: { name, input } }
  return { id, type: kind, ...called, ...(proof !== null && encodeCallSignature(sealProof(proof))) }
}
