import type { ImagePart, OpaquePart, ThinkingPart, ToolCallPart } from '../../../conversation/part.ts'
import type { Proof } from '../../../conversation/proof.ts'
import { asObject, type JsonObject } from '../../../wire/json-values.ts'
import { encodeImage } from '../media.ts'
import { FORMAT, sealed, UNSIGNED_CALL } from '../proofs.ts'
import { parseObject } from '../safe-json.ts'

/** What a client is shown of each kind of part; null when it is shown nothing. */

export function showText(text: string, proof: Proof | null): JsonObject {
  return { text, ...sealed(proof) }
}

export function showThought(text: string, { proof, isRedacted }: ThinkingPart): JsonObject | null {
  // Nothing in this format could say that the proof is the thought itself when it comes back.
  if (isRedacted) return null
  // A signature that stood on a text without words goes back to one.
  if (text === '' && proof?.on === 'text') return showText('', proof)
  return text === '' && proof === null ? null : { text, thought: true, ...sealed(proof) }
}

/** null when the arguments are not a JSON object, as the format demands. */
export function showCall({ id, name, kind, input, proof }: ToolCallPart): JsonObject | null {
  const args = kind === 'custom' ? { input } : input.trim() === '' ? {} : parseObject(input)
  return args === null ? null : { functionCall: { id, name, args }, ...sealed(proof ?? UNSIGNED_CALL) }
}

export function showWhole(part: ImagePart | OpaquePart): JsonObject | null {
  if (part.type === 'image') return encodeImage(part)
  return part.format === FORMAT ? asObject(part.value) : null
}
