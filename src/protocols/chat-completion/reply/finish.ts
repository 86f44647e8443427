import { type Finish, type FinishReason, finishOf } from '../../../conversation/answer.ts'

export type ChatFinishReason = 'stop' | 'length' | 'tool_calls' | 'function_call' | 'content_filter'

/** Typed clients fail on unknown values, so every neutral reason maps to an official one. */
const WIRE_REASONS: Readonly<Record<FinishReason, ChatFinishReason>> = {
  stop: 'stop',
  'stop-sequence': 'stop',
  length: 'length',
  'context-full': 'length',
  'tool-call': 'tool_calls',
  filter: 'content_filter',
  refusal: 'stop',
  pause: 'stop',
  other: 'stop',
}

/** The official values first, then those of compatible suppliers. */
const NEUTRAL_REASONS: ReadonlyMap<unknown, FinishReason> = new Map([
  ['stop', 'stop'],
  ['length', 'length'],
  ['tool_calls', 'stop'],
  ['function_call', 'stop'],
  ['content_filter', 'filter'],
  ['content_filtered', 'filter'],
  ['safety', 'filter'],
  ['eos', 'stop'],
  ['end_turn', 'stop'],
  ['complete', 'stop'],
  ['tool_use', 'stop'],
  ['stop_sequence', 'stop-sequence'],
  ['max_tokens', 'length'],
  ['model_length', 'context-full'],
  ['refusal', 'refusal'],
])

export interface FinishContext {
  /** True when the answer has a `refusal` text. */
  readonly hasRefusal: boolean
  /** True for a client that uses the deprecated `functions`. */
  readonly wantsFunctionCall: boolean
}

export function encodeFinish(
  { reason }: Finish,
  { hasRefusal, wantsFunctionCall }: FinishContext,
): ChatFinishReason {
  // Without a refusal text, only the finish reason shows that the model declined.
  if (reason === 'refusal' && !hasRefusal) return 'content_filter'
  if (reason === 'tool-call' && wantsFunctionCall) return 'function_call'
  return WIRE_REASONS[reason]
}

/** The contents of an answer. They are more reliable than the supplier's finish reason. */
export interface Contents {
  readonly hasCalls: boolean
  readonly hasRefusal: boolean
}

export function decodeFinish(word: unknown, { hasCalls, hasRefusal }: Contents): Finish {
  const reason = word === null || word === undefined ? 'stop' : (NEUTRAL_REASONS.get(word) ?? 'other')
  const isPlain = reason === 'stop' || reason === 'other'
  if (isPlain && hasCalls) return finishOf('tool-call')
  return finishOf(isPlain && hasRefusal ? 'refusal' : reason)
}
