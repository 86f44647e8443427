import type { AnswerPart, Finish, FinishReason } from '../../../conversation/answer.ts'
import { asObject, asText, type JsonObject } from '../../../wire/json-values.ts'

const REASONS: ReadonlyMap<unknown, FinishReason> = new Map([
  ['end_turn', 'stop'],
  ['max_tokens', 'length'],
  ['stop_sequence', 'stop-sequence'],
  ['tool_use', 'tool-call'],
  ['pause_turn', 'pause'],
  // In this format `refusal` means that a safety system stopped the answer, not that the model declined.
  ['refusal', 'filter'],
  ['model_context_window_exceeded', 'context-full'],
])

const WORDS: Readonly<Record<FinishReason, string>> = {
  stop: 'end_turn',
  'stop-sequence': 'stop_sequence',
  length: 'max_tokens',
  'context-full': 'model_context_window_exceeded',
  'tool-call': 'tool_use',
  filter: 'refusal',
  refusal: 'refusal',
  pause: 'pause_turn',
  other: 'end_turn',
}

/** `wire` is a whole message, or the delta that ends a stream. */
export function decodeFinish(wire: JsonObject, hasCalls: boolean): Finish {
  const reason = withCalls(REASONS.get(wire.stop_reason) ?? 'other', hasCalls)
  return {
    reason,
    stopSequence: reason === 'stop-sequence' ? asText(wire.stop_sequence) : null,
    explanation: reason === 'filter' ? asText(asObject(wire.stop_details)?.explanation) : null,
  }
}

interface MessagesFinish {
  readonly stop_reason: string
  readonly stop_sequence: string | null
  readonly stop_details: JsonObject | null
}

export function encodeFinish(
  { reason, stopSequence, explanation }: Finish,
  hasCalls: boolean,
): MessagesFinish {
  const shown = withCalls(reason, hasCalls)
  const isRefusal = shown === 'filter' || shown === 'refusal'
  return {
    stop_reason: WORDS[shown],
    stop_sequence: shown === 'stop-sequence' ? stopSequence : null,
    stop_details: isRefusal ? { type: 'refusal', category: null, explanation } : null,
  }
}

export function hasToolCalls(parts: readonly AnswerPart[]): boolean {
  return parts.some(({ type }) => type === 'tool-call')
}

// Agents continue only on `tool_use`, and wait forever if it comes without a call.
function withCalls(reason: FinishReason, hasCalls: boolean): FinishReason {
  if (hasCalls) return reason === 'stop' || reason === 'other' ? 'tool-call' : reason
  return reason === 'tool-call' ? 'stop' : reason
}
