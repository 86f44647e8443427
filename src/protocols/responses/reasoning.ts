import { EFFORTS, type Effort, type ReasoningRequest } from '../../conversation/effort.ts'
import type { ThinkingPart } from '../../conversation/part.ts'
import { type Proof, readProof, sealProof } from '../../conversation/proof.ts'
import type { Traits } from '../../vocabulary/runtime/traits.ts'
import { asArray, asObject, asText, type JsonObject } from '../../wire/json-values.ts'
import { FORMAT } from './format.ts'

/** Maps a token budget to an effort. Each entry has the largest budget of its effort. */
const EFFORTS_BY_BUDGET: readonly (readonly [number, Effort])[] = [
  [0, 'none'],
  [1024, 'low'],
  [8192, 'medium'],
  [24_576, 'high'],
  [Number.POSITIVE_INFINITY, 'xhigh'],
]

/** The effort to request, or null when the model decides or has no effort setting. */
export function effortFor(reasoning: ReasoningRequest | null, traits: Traits): Effort | null {
  const wanted = wantedEffort(reasoning)
  if (wanted === null) return null
  const efforts = effortsOf(traits)
  return efforts.length === 0 ? null : nearestEffort(wanted, efforts)
}

function wantedEffort(reasoning: ReasoningRequest | null): Effort | null {
  const control = reasoning?.control
  if (control?.type === 'effort') return control.effort
  if (control?.type !== 'budget') return null
  return EFFORTS_BY_BUDGET.find(([most]) => control.tokens <= most)?.[1] ?? null
}

function effortsOf({ thinking }: Traits): readonly Effort[] {
  switch (thinking.type) {
    case 'none':
      return []
    case 'effort':
    case 'adaptive':
      return thinking.efforts
    case 'level':
      return thinking.levels
    case 'budget':
      return EFFORTS
  }
}

/** The wanted effort, or the next lower one the model supports, or its lowest. */
function nearestEffort(wanted: Effort, efforts: readonly Effort[]): Effort | null {
  const rank = (effort: Effort) => EFFORTS.indexOf(effort)
  const known = [...efforts].sort((one, other) => rank(one) - rank(other))
  return known.findLast((effort) => rank(effort) <= rank(wanted)) ?? known[0] ?? null
}

export interface ReasoningOptions {
  readonly effort: Effort | null
  readonly traits: Traits
  /** Other `reasoning` members from a client of this format. */
  readonly own: unknown
}

/** Encodes `reasoning` of a request. Returns null when it would be empty. */
export function encodeReasoningRequest(
  reasoning: ReasoningRequest | null,
  { effort, traits, own }: ReasoningOptions,
): JsonObject | null {
  if (traits.thinking.type === 'none') return null
  const showsThoughts = reasoning?.showThoughts === true && effort !== 'none'
  const encoded = {
    ...(effort !== null && { effort }),
    ...(showsThoughts && { summary: 'auto' }),
    ...asObject(own),
  }
  return Object.keys(encoded).length === 0 ? null : encoded
}

/** Used in place of a supplier's item id, because this format cannot mark thinking as fully encrypted. */
const REDACTED_MARK = 'redacted'

const NO_PROOF: Proof = { origin: 'none', model: '', route: '', on: 'thinking', value: '', itemId: null }

/** The thinking text if the supplier shows it, otherwise its summary. */
export function thinkingTextOf(item: JsonObject): string {
  return joinTexts(item.content) || joinTexts(item.summary)
}

function joinTexts(parts: unknown): string {
  return asArray(parts)
    .flatMap((part) => asText(asObject(part)?.text) ?? [])
    .join('\n\n')
}

/** Decodes a reasoning item that a client sends back. Returns null when it is empty. */
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
 * Makes the `encrypted_content` for a client. Thinking without a signature gets an envelope that says so. When the
 * client sends it back, the gateway knows that no supplier can use it.
 */
export function sealThought(proof: Proof | null, isRedacted: boolean): string {
  if (proof === null) return sealProof(NO_PROOF)
  return sealProof(isRedacted ? { ...proof, itemId: proof.itemId ?? REDACTED_MARK } : proof)
}

/** Encodes thinking for the supplier it came from. */
export function encodeReasoning({ text, proof }: ThinkingPart & { readonly proof: Proof }): JsonObject {
  return {
    type: 'reasoning',
    ...(proof.itemId !== null && { id: proof.itemId }),
    summary: text === '' ? [] : [{ type: 'summary_text', text }],
    encrypted_content: proof.value,
  }
}
