import type { FinishReason } from '../../performance/performance.ts'

/** What every object of one answer has in common. */
export interface AnswerHead {
  readonly number: number
  readonly id: string
  /** Seconds. */
  readonly created: number
  readonly model: string
}

export const FINISH_REASONS = {
  stop: 'stop',
  length: 'length',
  'tool-call': 'tool_calls',
  // A model that declines has ended its answer like any other; only where the words stand is different.
  refusal: 'stop',
} as const satisfies Record<FinishReason, string>

/** The same in a reply and in a stream, so that both can be compared. */
export function nameCall(head: AnswerHead, choice: number, call: number): string {
  return `call_sandbox_${head.number}_${choice}_${call}`
}
