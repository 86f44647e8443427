import type { ImagePart, OpaquePart, RefusalPart, TextPart, ThinkingPart, ToolCallPart } from './part.ts'
import type { Usage } from './usage.ts'

/** A model's whole reply, independent of the wire format. */
export interface Answer {
  /** The supplier's id. Clients get an id in the shape of their format. */
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
 * - `tool-call`: the answer has calls, whatever reason the supplier gives.
 * - `filter`: the supplier's safety system stopped it. `refusal`: the model declined.
 * - `pause`: the client should send the conversation again to continue. `other`: no other format has this reason.
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
  /** The supplier's explanation of a refusal or filter, for people. */
  readonly explanation: string | null
}

/** How an answer ended, without what it says. */
export interface AnswerEnding {
  readonly id: string
  /** Of each choice. */
  readonly reasons: readonly FinishReason[]
}

export function endingOf({ id, choices }: Answer): AnswerEnding {
  return { id, reasons: choices.map(({ finish }) => finish.reason) }
}

export function finishOf(reason: FinishReason): Finish {
  return { reason, stopSequence: null, explanation: null }
}
