import { type Answer, type AnswerPart, finishOf } from '../../../conversation/answer.ts'
import type { TextPart, ThinkingPart, ToolCallPart } from '../../../conversation/part.ts'
import { type Proof, sealProof } from '../../../conversation/proof.ts'
import { isObject, type JsonObject, tryParseJson } from '../../../wire/json-values.ts'
import type { ReplyContext } from '../../translation.ts'
import { FORMAT } from '../format.ts'
import { isTooDeep } from '../measure.ts'
import { encodeCitation } from './citations.ts'
import { encodeFinish, hasToolCalls } from './finish.ts'
import { encodeUsage } from './usage.ts'

/** A whole message. This format has one answer, so only the first choice is encoded. */
export function encodeReply({ choices, usage }: Answer, context: ReplyContext): JsonObject {
  const parts = choices[0]?.parts ?? []
  return {
    id: context.newId('msg_'),
    type: 'message',
    role: 'assistant',
    model: context.model,
    container: null,
    context_management: null,
    content: parts.flatMap(encodeAnswerPart),
    diagnostics: null,
    ...encodeFinish(choices[0]?.finish ?? finishOf('other'), hasToolCalls(parts)),
    usage: encodeUsage(usage, context.promptTokens),
  }
}

/** The blocks for a part of an answer; none when the format has no block for it. */
export function encodeAnswerPart(part: AnswerPart): JsonObject[] {
  switch (part.type) {
    case 'text':
      return encodeText(part)
    case 'refusal':
      return part.text === '' ? [] : [{ type: 'text', text: part.text, citations: [] }]
    case 'thinking':
      return [encodeThought(part)]
    case 'tool-call':
      return [...encodeCallProof(part), encodeCall(part)]
    case 'opaque':
      return part.format === FORMAT && isObject(part.value) ? [part.value] : []
    case 'image':
      return []
  }
}

function encodeText({ text, citations }: TextPart): JsonObject[] {
  if (text === '' && citations.length === 0) return []
  // Official clients require the member, and some clients reject null.
  return [{ type: 'text', text, citations: citations.map(encodeCitation) }]
}

function encodeThought({ text, proof, isRedacted }: ThinkingPart): JsonObject {
  const signature = sealSignature(proof)
  return isRedacted
    ? { type: 'redacted_thinking', data: signature }
    : { type: 'thinking', thinking: text, signature }
}

const UNSIGNED: Proof = { origin: 'none', model: '', route: '', on: 'thinking', value: '', itemId: null }

/** Clients of this format require a signature on every thought and send it back unchanged. */
export function sealSignature(proof: Proof | null): string {
  return sealProof(proof ?? UNSIGNED)
}

/** A call has no field for a signature, so an empty thought before the call carries it. */
function encodeCallProof({ proof }: ToolCallPart): JsonObject[] {
  return proof === null ? [] : [{ type: 'thinking', thinking: '', signature: sealSignature(proof) }]
}

function encodeCall({ id, name, input }: ToolCallPart): JsonObject {
  return { type: 'tool_use', id, name, input: parseInput(input), caller: { type: 'direct' } }
}

/** Tool input as an object, which this format requires; anything else is kept as `_raw`. */
export function parseInput(input: string): JsonObject {
  if (input.trim() === '') return {}
  const parsed = tryParseJson(input)
  return isObject(parsed) && !isTooDeep(parsed) ? parsed : { _raw: input }
}
