import type { Answer, AnswerChoice, AnswerPart } from '../../../conversation/answer.ts'
import { encodeImageUrl, type ImagePart, type ToolCallPart } from '../../../conversation/part.ts'
import { sealProof } from '../../../conversation/proof.ts'
import type { JsonObject } from '../../../wire/json-values.ts'
import { encodeServiceTier, encodeUsage } from '../../token-details.ts'
import type { ReplyContext } from '../../translation.ts'
import { encodeCallSignature } from '../thinking.ts'
import { encodeCitation, encodeLogprobs } from './annotations.ts'
import { encodeFinish } from './finish.ts'

/** What the request says about the form of the reply. */
export interface ReplyOptions {
  /** The client uses only the deprecated `functions`. */
  readonly wantsFunctionCall: boolean
  /** The client asked for the usage chunk of a stream. */
  readonly wantsUsage: boolean
}

export function encodeReply(answer: Answer, context: ReplyContext, options: ReplyOptions): JsonObject {
  return {
    id: context.newId('chatcmpl-'),
    object: 'chat.completion',
    created: Math.floor(context.createdAtMs / 1000),
    model: context.model,
    choices: answer.choices.map((choice) => encodeChoice(choice, options)),
    ...encodeServiceTier(answer.usage),
    ...(answer.usage !== null && { usage: encodeUsage(answer.usage) }),
  }
}

function encodeChoice(choice: AnswerChoice, { wantsFunctionCall }: ReplyOptions): JsonObject {
  const refusal = readRefusal(choice)
  return {
    index: choice.index,
    message: {
      role: 'assistant',
      content: readText(choice.parts, refusal),
      refusal,
      ...encodeThinking(choice.parts),
      annotations: encodeAnnotations(choice.parts),
      ...encodeImages(choice.parts),
      ...(wantsFunctionCall ? encodeFunctionCall(choice.parts) : encodeCalls(choice.parts)),
    },
    logprobs: encodeLogprobs(choice.logprobs),
    finish_reason: encodeFinish(choice.finish, { hasRefusal: refusal !== null, wantsFunctionCall }),
  }
}

// The supplier's explanation replaces a refusal text that the model did not write.
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
  return thoughts.length === 0 ? {} : { reasoning_content: thoughts.join(THINKING_SEPARATOR) }
}

function encodeAnnotations(parts: readonly AnswerPart[]): readonly JsonObject[] {
  let start = 0
  const annotations: JsonObject[] = []
  for (const part of parts) {
    if (part.type !== 'text') continue
    const place = { start, length: part.text.length }
    for (const citation of part.citations) annotations.push(encodeCitation(citation, place))
    start += part.text.length
  }
  return annotations
}

function encodeImages(parts: readonly AnswerPart[]): JsonObject {
  const images = parts.flatMap((part) => (part.type === 'image' ? [encodeAnswerImage(part)] : []))
  return images.length === 0 ? {} : { images }
}

// Some clients keep looping as long as `tool_calls` is present, even if empty.
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

/** Separates two thinking parts, which the client sees as one text. */
export const THINKING_SEPARATOR = '\n\n'

/** Clients parse the arguments, so a call without any needs an empty object. */
export const NO_INPUT = '{}'

/** The official format has no images in answers. This form is common among compatible suppliers. */
export function encodeAnswerImage({ source }: ImagePart): JsonObject {
  return { type: 'image_url', image_url: { url: encodeImageUrl(source) } }
}

/** Encodes a call with the given input, which may be only its first piece. */
export function encodeCall({ id, name, kind, proof }: ToolCallPart, input: string): JsonObject {
  const called = kind === 'function' ? { function: { name, arguments: input } } : { custom: { name, input } }
  return { id, type: kind, ...called, ...(proof !== null && encodeCallSignature(sealProof(proof))) }
}
