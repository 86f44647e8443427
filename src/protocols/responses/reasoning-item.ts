import type { ThinkingPart } from '../../conversation/part.ts'
import { type Proof, readProof, sealProof } from '../../conversation/proof.ts'
import { asArray, asObject, asText, type JsonObject } from '../../wire/json-values.ts'
import { FORMAT } from './format-name.ts'

/** Stands where a supplier's id would: this format's items cannot say that a thought is wholly encrypted. */
const REDACTED_MARK = 'redacted'

const NO_PROOF: Proof = { origin: 'none', model: '', route: '', on: 'thinking', value: '', itemId: null }

/** What a reasoning item says: the thoughts themselves when the supplier shows them, else its summary of them. */
export function thinkingTextOf(item: JsonObject): string {
  return joinTexts(item.content) || joinTexts(item.summary)
}

function joinTexts(parts: unknown): string {
  return asArray(parts)
    .flatMap((part) => asText(asObject(part)?.text) ?? [])
    .join('\n\n')
}

/** A thought as the client sends it back; null when there is nothing in it. */
export function decodeReasoning(item: JsonObject): ThinkingPart | null {
  const text = thinkingTextOf(item)
  const sealed = asText(item.encrypted_content)
  const proof = sealed === null ? null : readClientProof(sealed, item)
  if (text === '' && proof === null) return null
  const isRedacted = proof?.itemId === REDACTED_MARK
  return { type: 'thinking', text, proof: isRedacted ? { ...proof, itemId: null } : proof, isRedacted }
}

function readClientProof(sealed: string, item: JsonObject): Proof | null {
  const proof = readProof(sealed, { format: FORMAT, on: 'thinking' })
  if (proof.origin === 'none') return null
  const isOwn = proof.origin === FORMAT && proof.value === sealed
  return isOwn ? { ...proof, itemId: asText(item.id) } : proof
}

/**
 * What a client is given as `encrypted_content`. A thought without a signature gets one that says so: sent back, it
 * is told from one that a supplier could use.
 */
export function sealThought(proof: Proof | null, isRedacted: boolean): string {
  if (proof === null) return sealProof(NO_PROOF)
  return sealProof(isRedacted ? { ...proof, itemId: proof.itemId ?? REDACTED_MARK } : proof)
}

/** A thought as its supplier wants it back. */
export function encodeReasoning({ text, proof }: ThinkingPart & { readonly proof: Proof }): JsonObject {
  return {
    type: 'reasoning',
    ...(proof.itemId !== null && { id: proof.itemId }),
    summary: text === '' ? [] : [{ type: 'summary_text', text }],
    encrypted_content: proof.value,
  }
}
