import { EFFORTS, type Effort, type ReasoningRequest } from '../../../conversation/conversation.ts'
import type { MessagesRequest } from './schema.ts'

type Asked = Pick<MessagesRequest, 'thinking' | 'output_config'>

/** How much to think, from `thinking` and the effort beside it; null when the client said nothing. */
export function decodeReasoning({ thinking, output_config }: Asked): ReasoningRequest | null {
  const effort = asEffort(output_config?.effort)
  const byEffort = effort === null ? null : ({ type: 'effort', effort } as const)
  // A client of this format that switches thinking on can show it, so it is shown unless it says otherwise.
  const showThoughts = thinking?.display !== 'omitted'
  switch (thinking?.type) {
    case 'enabled':
      return { control: { type: 'budget', tokens: thinking.budget_tokens ?? 0 }, showThoughts }
    case 'adaptive':
    case 'between_tools':
      return { control: byEffort ?? { type: 'adaptive' }, showThoughts }
    case 'disabled':
      return { control: { type: 'effort', effort: 'none' }, showThoughts: null }
    default:
      return byEffort === null ? null : { control: byEffort, showThoughts: null }
  }
}

/** Whether the effort became the control of the reasoning, and need not ride along. */
export function isEffortTold({ thinking, output_config }: Asked): boolean {
  const isOther = thinking?.type === 'enabled' || thinking?.type === 'disabled'
  return !isOther && asEffort(output_config?.effort) !== null
}

function asEffort(value: string | null | undefined): Effort | null {
  return EFFORTS.find((effort) => effort === value) ?? null
}
