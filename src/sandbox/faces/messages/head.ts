import type { Choice, PerformanceUsage } from '../../performance/performance.ts'
import type { Seals } from '../../seals.ts'

/** What every object of one answer has in common. */
export interface AnswerHead {
  readonly number: number
  readonly id: string
  readonly model: string
  readonly seals: Seals
  /** False when thoughts are signed but their words kept back. */
  readonly showsThoughts: boolean
  /** Writing to the cache costs extra here, so it is reported only to callers that asked for it. */
  readonly marksCache: boolean
}

export function nameCall(head: AnswerHead, index: number): string {
  return `toolu_sandbox_${head.number}_${index}`
}

export function encodeStop({ finish, stopSequence, steps }: Choice) {
  const refused = steps.find((step) => step.type === 'refuse')
  return {
    stop_reason: stopSequence === null ? STOP_REASONS[finish] : 'stop_sequence',
    stop_sequence: stopSequence,
    stop_details:
      refused === undefined
        ? null
        : { type: 'refusal', category: 'general_harms', explanation: [...refused.pieces].join('') },
  }
}

const STOP_REASONS = {
  stop: 'end_turn',
  length: 'max_tokens',
  'tool-call': 'tool_use',
  refusal: 'refusal',
} as const satisfies Record<Choice['finish'], string>

/** Here the prompt is counted in three parts that do not overlap. */
export function encodeUsage(usage: PerformanceUsage, head: AnswerHead) {
  const written = head.marksCache ? usage.writtenInput : 0
  return {
    input_tokens: usage.input - usage.cachedInput - written,
    cache_creation_input_tokens: written,
    cache_read_input_tokens: usage.cachedInput,
    cache_creation: { ephemeral_5m_input_tokens: written, ephemeral_1h_input_tokens: 0 },
    output_tokens: usage.output,
    output_tokens_details: { thinking_tokens: usage.reasoning },
    server_tool_use: null,
    service_tier: 'standard',
  }
}
