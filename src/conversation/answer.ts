import type { ImagePart, OpaquePart, RefusalPart, TextPart, ThinkingPart, ToolCallPart } from './part.ts'
import type { Usage } from './usage.ts'

/** A model's whole reply, in no wire format. */
export interface Answer {
  /** The supplier's id for it; clients get an id of their own format's shape. */
  readonly id: string
  readonly choices: readonly AnswerChoice[]
  /** null when the supplier reported none. */
  readonly usage: Usage | null
}

export interface AnswerChoice {
  readonly index: number
  readonly parts: readonly AnswerPart[]
  readonly finish: Finish
  /** Log probabilities in the chat-completion shape, null when there are none. */
  readonly logprobs: readonly TokenLogprob[] | null
}

export type AnswerPart = TextPart | ImagePart | ThinkingPart | ToolCallPart | RefusalPart | OpaquePart

export interface TokenLogprob {
  readonly token: string
  readonly logprob: number
  readonly top: readonly { readonly token: string; readonly logprob: number }[]
}

/**
 * Why an answer ended.
 * - `tool-call` is decided by the presence of calls, never by the supplier's word alone.
 * - `filter`: the supplier's safety system cut in. `refusal`: the model itself declined.
 * - `pause`: the supplier wants to be asked to go on. `other`: anything no other format has a word for.
 */
export type FinishReason =
  | 'stop'
  | 'stop-sequence'
  | 'length'
  | 'context-full'
  | 'tool-call'
  | 'filter'
  | 'refusal'
  | 'pause'
  | 'other'

export interface Finish {
  readonly reason: FinishReason
  /** The text that ended it, when `stop-sequence` and known. */
  readonly stopSequence: string | null
  /** What the supplier said about a refusal or filter, for people. */
  readonly explanation: string | null
}

export function finishOf(reason: FinishReason): Finish {
  return { reason, stopSequence: null, explanation: null }
}
