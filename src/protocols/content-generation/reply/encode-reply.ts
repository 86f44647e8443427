import type { Answer, AnswerChoice, AnswerPart } from '../../../conversation/answer.ts'
import type { Citation } from '../../../conversation/part.ts'
import type { JsonObject } from '../../../wire/json-values.ts'
import type { ReplyContext } from '../../translation.ts'
import { showCall, showText, showThought, showWhole } from './encode-parts.ts'
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
    // Clients drop a turn without parts, and the question before it with it.
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

/** Citations count from the beginning of their own part; this format from the beginning of all text. */
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
