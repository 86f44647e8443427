import type { Answer, AnswerChoice, AnswerPart } from '../../../conversation/answer.ts'
import { encodeImageUrl } from '../../../conversation/image-source.ts'
import type { ImagePart, ToolCallPart } from '../../../conversation/part.ts'
import { sealProof } from '../../../conversation/proof.ts'
import type { JsonObject } from '../../../wire/json-values.ts'
import type { ReplyContext } from '../../translation.ts'
import { encodeCallSignature } from '../thinking.ts'
import { encodeCitation, encodeLogprobs } from './annotations.ts'
import { encodeFinish } from './finish.ts'
import { encodeUsage } from './usage.ts'

/** What the client said about the answer it wants. */
export interface ReplyWishes {
  /** It speaks of `functions` alone, the deprecated kind of tools. */
  readonly wantsFunctionCall: boolean
  /** Of a stream: it asked for the usage chunk. */
  readonly wantsUsage: boolean
}

export function encodeReply(answer: Answer, context: ReplyContext, wishes: ReplyWishes): JsonObject {
  return {
    id: context.newId('chatcmpl-'),
    object: 'chat.completion',
    created: Math.floor(context.createdAtMs / 1000),
    model: context.model,
    choices: answer.choices.map((choice) => encodeChoice(choice, wishes)),
    ...(answer.usage !== null && { usage: encodeUsage(answer.usage) }),
  }
}

function encodeChoice(choice: AnswerChoice, { wantsFunctionCall }: ReplyWishes): JsonObject {
  const refusal = readRefusal(choice)
  return {
    index: choice.index,
    message: {
      role: 'assistant',
      content: readText(choice.parts, refusal),
      refusal,
      ...encodeThinking(choice.parts),
      ...encodeAnnotations(choice.parts),
      ...encodeImages(choice.parts),
      ...(wantsFunctionCall ? encodeFunctionCall(choice.parts) : encodeCalls(choice.parts)),
    },
    logprobs: encodeLogprobs(choice.logprobs),
    finish_reason: encodeFinish(choice.finish, { hasRefusal: refusal !== null, wantsFunctionCall }),
  }
}

// What the supplier said about a refusal stands in for words the model did not find.
function readRefusal({ parts, finish }: AnswerChoice): string | null {
  const words = parts.flatMap((part) => (part.type === 'refusal' ? [part.text] : [])).join('')
  if (words !== '') return words
  return finish.reason === 'refusal' ? finish.explanation : null
}

function readText(parts: readonly AnswerPart[], refusal: string | null): string | null {
  const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))
  const saysElsewhere = refusal !== null || parts.some(({ type }) => type === 'tool-call')
  return texts.length === 0 && saysElsewhere ? null : texts.join('')
}

function encodeThinking(parts: readonly AnswerPart[]): JsonObject {
  const thoughts = parts.flatMap((part) => (part.type === 'thinking' && part.text !== '' ? [part.text] : []))
  return thoughts.length === 0 ? {} : { reasoning_content: thoughts.join(THOUGHT_BREAK) }
}

function encodeAnnotations(parts: readonly AnswerPart[]): JsonObject {
  let start = 0
  const annotations: JsonObject[] = []
  for (const part of parts) {
    if (part.type !== 'text') continue
    const place = { start, length: part.text.length }
    for (const citation of part.citations) annotations.push(encodeCitation(citation, place))
    start += part.text.length
  }
  return annotations.length === 0 ? {} : { annotations }
}

function encodeImages(parts: readonly AnswerPart[]): JsonObject {
  const images = parts.flatMap((part) => (part.type === 'image' ? [encodeAnswerImage(part)] : []))
  return images.length === 0 ? {} : { images }
}

// An empty list confuses clients that loop for as long as there is one.
function encodeCalls(parts: readonly AnswerPart[]): JsonObject {
  const calls = parts.flatMap((part) =>
    part.type === 'tool-call' ? [encodeCall(part, inputOf(part.kind, part.input))] : [],
  )
  return calls.length === 0 ? {} : { tool_calls: calls }
}

function encodeFunctionCall(parts: readonly AnswerPart[]): JsonObject {
  const call = parts.find((part) => part.type === 'tool-call')
  if (call === undefined) return {}
  return { function_call: { name: call.name, arguments: inputOf(call.kind, call.input) } }
}

function inputOf(kind: 'function' | 'custom', input: string): string {
  return kind === 'function' && input === '' ? NO_INPUT : input
}

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
