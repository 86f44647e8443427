import { type Answer, type AnswerChoice, type FinishReason, finishOf } from '../../conversation/answer.ts'
import { textPart } from '../../conversation/part.ts'
import { asArray, asObject, asText, type JsonObject, textLength } from '../../wire/json-values.ts'
import type { ReplyFacts } from '../protocol.ts'
import { decodeUsage, encodeServiceTier, encodeUsage } from '../token-details.ts'
import type { ReplyContext } from '../translation.ts'

/** What the request says about the form of the reply. */
export interface ReplyOptions {
  /** The client asked for the usage chunk of a stream. */
  readonly wantsUsage: boolean
  /** Texts to repeat before the answers: one for each prompt. */
  readonly echoes: readonly string[]
  /** Answers per prompt: the answers to the first prompt come first. */
  readonly choices: number
}

export type CompletionFinishReason = 'stop' | 'length' | 'content_filter'

/** Typed clients fail on unknown values, so every neutral reason maps to an official one. */
const WIRE_REASONS: Readonly<Record<FinishReason, CompletionFinishReason>> = {
  stop: 'stop',
  'stop-sequence': 'stop',
  length: 'length',
  'context-full': 'length',
  'tool-call': 'stop',
  filter: 'content_filter',
  refusal: 'content_filter',
  pause: 'stop',
  other: 'stop',
}

const NEUTRAL_REASONS: ReadonlyMap<unknown, FinishReason> = new Map([
  ['stop', 'stop'],
  ['length', 'length'],
  ['content_filter', 'filter'],
  ['eos', 'stop'],
  ['max_tokens', 'length'],
])

export function encodeFinish(reason: FinishReason): CompletionFinishReason {
  return WIRE_REASONS[reason]
}

export function decodeFinish(word: unknown): FinishReason {
  return NEUTRAL_REASONS.get(word) ?? (word === null || word === undefined ? 'stop' : 'other')
}

export function echoOf(choice: number, { echoes, choices }: ReplyOptions): string {
  return echoes[Math.floor(choice / choices)] ?? ''
}

export function encodeReply(answer: Answer, context: ReplyContext, options: ReplyOptions): JsonObject {
  return {
    id: context.newId('cmpl-'),
    object: 'text_completion',
    created: Math.floor(context.createdAtMs / 1000),
    model: context.model,
    choices: answer.choices.map((choice) => ({
      text: echoOf(choice.index, options) + textOf(choice),
      index: choice.index,
      logprobs: null,
      finish_reason: encodeFinish(choice.finish.reason),
    })),
    ...encodeServiceTier(answer.usage),
    ...(answer.usage !== null && { usage: encodeUsage(answer.usage) }),
  }
}

/** The format has no place for thinking. What a model says when it declines is text here. */
function textOf({ parts }: AnswerChoice): string {
  return parts.map((part) => (part.type === 'text' || part.type === 'refusal' ? part.text : '')).join('')
}

/** Reads a whole reply. Returns null if it has no choices, a choice without a text, or an error. */
export function readReply(body: unknown): ReplyFacts | null {
  const choices = readChoices(body)
  if (choices === null) return null
  let outputCharacters = 0
  for (const { text } of choices) outputCharacters += textLength(text)
  const reply = asObject(body)
  return { usage: decodeUsage(reply?.usage, reply?.service_tier), outputCharacters }
}

export function decodeReply(body: unknown): Answer | null {
  const choices = readChoices(body)
  if (choices === null) return null
  const reply = asObject(body)
  return {
    id: asText(reply?.id) ?? '',
    choices: choices.map(({ text, finish_reason, index }, position) => ({
      index: readIndex(index, position),
      parts: text === '' ? [] : [textPart(asText(text) ?? '')],
      finish: finishOf(decodeFinish(finish_reason)),
      logprobs: null,
    })),
    usage: decodeUsage(reply?.usage, reply?.service_tier),
  }
}

function readChoices(body: unknown): readonly JsonObject[] | null {
  const reply = asObject(body)
  if (reply === null || asObject(reply.error) !== null) return null
  const choices = asArray(reply.choices).map(asObject)
  const isSound = (choice: JsonObject | null): choice is JsonObject => typeof choice?.text === 'string'
  return choices.length > 0 && choices.every(isSound) ? choices : null
}

export function readIndex(index: unknown, position: number): number {
  return Number.isSafeInteger(index) && Number(index) >= 0 ? Number(index) : position
}

/** The generated text in a reply or a chunk. */
export function generatedText(value: JsonObject): string {
  let text = ''
  for (const choice of asArray(value.choices)) text += asText(asObject(choice)?.text) ?? ''
  return text
}
