import type { Answer, AnswerChoice, AnswerPart } from '../../../conversation/answer.ts'
import type {
  Citation,
  ImagePart,
  OpaquePart,
  ThinkingPart,
  ToolCallPart,
} from '../../../conversation/part.ts'
import type { Proof } from '../../../conversation/proof.ts'
import { asObject, type JsonObject } from '../../../wire/json-values.ts'
import type { ReplyContext } from '../../translation.ts'
import { parseObject } from '../function-calls.ts'
import { encodeImage, FORMAT, sealed, UNSIGNED_CALL } from '../parts.ts'
import { encodeFinish } from './finish.ts'
import { encodeGrounding } from './grounding.ts'
import { encodeLogprobs } from './logprobs.ts'
import { encodeUsage, estimateUsage } from './usage.ts'

export function encodeReply(answer: Answer, context: ReplyContext): JsonObject {
  return {
    candidates: answer.choices.map(encodeChoice),
    usageMetadata:
      answer.usage === null
        ? estimateUsage(context.promptTokens, countText(answer))
        : encodeUsage(answer.usage),
    modelVersion: context.model,
    responseId: context.newId(''),
  }
}

function encodeChoice({ index, parts, finish, logprobs }: AnswerChoice): JsonObject {
  const shown = parts.flatMap((part) => showPart(part) ?? [])
  const malformed = parts.find((part) => part.type === 'tool-call' && showCall(part) === null)
  const malformedCall = malformed?.type === 'tool-call' ? malformed.name : null
  const { text, citations } = placeCitations(parts)
  return {
    // Clients drop a turn without parts together with the user turn before it.
    content: { role: 'model', parts: shown.length === 0 ? [{ text: '' }] : shown },
    ...encodeFinish({ finish, malformedCall, hasParts: shown.length > 0 }),
    index,
    safetyRatings: [],
    ...encodeGrounding(citations, text),
    ...encodeLogprobs(logprobs),
  }
}

function showPart(part: AnswerPart): JsonObject | null {
  switch (part.type) {
    case 'text':
      return showText(part.text, part.proof)
    case 'refusal':
      return showText(part.text, null)
    case 'thinking':
      return showThought(part.text, part)
    case 'tool-call':
      return showCall(part)
    case 'image':
    case 'opaque':
      return showWhole(part)
  }
}

/** Makes citation offsets relative to the whole text instead of their part, as the format requires. */
function placeCitations(parts: readonly AnswerPart[]): { text: string; citations: readonly Citation[] } {
  const texts: string[] = []
  let length = 0
  const citations: Citation[] = []
  for (const part of parts) {
    if (part.type !== 'text' && part.type !== 'refusal') continue
    if (part.type === 'text') {
      for (const each of part.citations) citations.push(moveCitation(each, length))
    }
    texts.push(part.text)
    length += part.text.length
  }
  return { text: texts.join(''), citations }
}

export function moveCitation(citation: Citation, by: number): Citation {
  const { start, end } = citation
  if (start === null || end === null) return citation
  return { ...citation, start: start + by, end: end + by }
}

function countText({ choices }: Answer): number {
  let characters = 0
  for (const { parts } of choices) {
    for (const part of parts) {
      if ('text' in part) characters += part.text.length
      if (part.type === 'tool-call') characters += part.name.length + part.input.length
    }
  }
  return characters
}

export function showText(text: string, proof: Proof | null): JsonObject {
  return { text, ...sealed(proof) }
}

export function showThought(text: string, { proof, isRedacted }: ThinkingPart): JsonObject | null {
  // The format cannot mark a signature as a redacted thought, so it could not be restored.
  if (isRedacted) return null
  // A signature from an empty text is put back on an empty text.
  if (text === '' && proof?.on === 'text') return showText('', proof)
  return text === '' && proof === null ? null : { text, thought: true, ...sealed(proof) }
}

/** null when the arguments are not a JSON object, which the format requires. */
export function showCall({ id, name, kind, input, proof }: ToolCallPart): JsonObject | null {
  const args = kind === 'custom' ? { input } : input.trim() === '' ? {} : parseObject(input)
  return args === null ? null : { functionCall: { id, name, args }, ...sealed(proof ?? UNSIGNED_CALL) }
}

export function showWhole(part: ImagePart | OpaquePart): JsonObject | null {
  if (part.type === 'image') return encodeImage(part)
  return part.format === FORMAT ? asObject(part.value) : null
}
