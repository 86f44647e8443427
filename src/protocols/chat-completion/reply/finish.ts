import { type Finish, type FinishReason, finishOf } from '../../../conversation/answer.ts'

export type ChatFinishReason = 'stop' | 'length' | 'tool_calls' | 'function_call' | 'content_filter'

/** Typed clients break on any other word, so every neutral reason has one of the official ones. */
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

/** The official words first, then those that suppliers of this format use besides. */
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

export interface Ending {
  /** True when the client was told in `refusal` that and why the model declined. */
  readonly hasRefusal: boolean
  /** True for a client of the deprecated `functions`. */
  readonly wantsFunctionCall: boolean
}

export function encodeFinish(
  { reason }: Finish,
  { hasRefusal, wantsFunctionCall }: Ending,
): ChatFinishReason {
  // A refusal that nothing else in the answer tells of must not look like a good end.
  if (reason === 'refusal' && !hasRefusal) return 'content_filter'
  if (reason === 'tool-call' && wantsFunctionCall) return 'function_call'
  return WIRE_REASONS[reason]
}

/** What the answer contained, which says more about its end than the supplier's word. */
export interface Contents {
  readonly hasCalls: boolean
  readonly hasRefusal: boolean
}

export function decodeFinish(word: unknown, { hasCalls, hasRefusal }: Contents): Finish {
  const said = word === null || word === undefined ? 'stop' : (NEUTRAL_REASONS.get(word) ?? 'other')
  const isPlain = said === 'stop' || said === 'other'
  if (isPlain && hasCalls) return finishOf('tool-call')
  return finishOf(isPlain && hasRefusal ? 'refusal' : said)
}
