import type { Seals } from '../../seals.ts'
import type { Block } from './blocks.ts'
import { type MergedTurn, toolUses } from './history.ts'
import { type CountRequest, type MessagesRequest, refuseAt } from './schema.ts'

export const FACE = 'messages'

/** What a signature vouches for, by the kind of block that carries it. */
export function thinkingClaim(model: string, about: 'thinking' | 'redacted_thinking') {
  return { face: FACE, model, about }
}

/** Every thought that comes back must be one of ours, unaltered. */
export function checkSignatures(turns: readonly MergedTurn[], model: string, seals: Seals): void {
  for (const turn of turns) {
    turn.blocks.forEach((block, index) => {
      const problem = findForgery(block, model, seals)
      if (problem !== null) throw refuseAt(['messages', turn.index, 'content', index], problem)
    })
  }
}

function findForgery(block: Block, model: string, seals: Seals): string | null {
  if (block.type === 'thinking') {
    // A thought that was shown to nobody comes back empty.
    const words = block.thinking === '' ? null : block.thinking
    const isGenuine = seals.isGenuine(block.signature, thinkingClaim(model, 'thinking'), words)
    return isGenuine ? null : 'Invalid `signature` in `thinking` block'
  }
  if (block.type === 'redacted_thinking') {
    const isGenuine = seals.isGenuine(block.data, thinkingClaim(model, 'redacted_thinking'), null)
    return isGenuine ? null : 'Invalid `data` in `redacted_thinking` block'
  }
  return null
}

/** With thinking enabled, the turn whose calls are being answered must still begin with its thought. */
export function checkThoughtKept(turns: readonly MergedTurn[], request: CountRequest): void {
  if (request.thinking?.type !== 'enabled') return
  const last = turns.findLast((turn) => turn.role === 'assistant')
  const isInLoop = turns.at(-1)?.blocks.some((block) => block.type === 'tool_result') === true
  if (last === undefined || !isInLoop || toolUses(last).length === 0) return
  const first = last.blocks[0]?.type
  if (first === 'thinking' || first === 'redacted_thinking') return
  throw refuseAt(
    ['messages', last.index, 'content', 0, 'type'],
    `Expected \`thinking\` or \`redacted_thinking\`, but found \`${first}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceeding the lastmost set of \`tool_use\` and \`tool_result\` blocks).`,
  )
}

/** What cannot be combined with thinking. */
export function checkThinking(request: MessagesRequest): void {
  const { thinking } = request
  if (thinking?.type !== 'enabled') return
  if (thinking.budget_tokens === undefined)
    throw refuseAt(['thinking', 'enabled', 'budget_tokens'], 'Field required')
  if (thinking.budget_tokens >= request.max_tokens)
    throw refuseAt(['max_tokens'], '`max_tokens` must be greater than `thinking.budget_tokens`')
  if ((request.temperature ?? 1) !== 1)
    throw refuseAt(['temperature'], '`temperature` may only be set to 1 when thinking is enabled')
  if (request.top_k !== undefined) throw refuseAt(['top_k'], '`top_k` must be unset when thinking is enabled')
  if ((request.top_p ?? 1) < 0.95)
    throw refuseAt(
      ['top_p'],
      '`top_p` must be greater than or equal to 0.95 or unset when thinking is enabled',
    )
  const choice = request.tool_choice?.type
  if (choice === 'any' || choice === 'tool')
    throw refuseAt(['tool_choice'], 'Thinking may not be enabled when tool_choice forces tool use.')
}
