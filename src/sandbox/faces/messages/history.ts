import { SandboxError } from '../../sandbox-error.ts'
import type { Seals } from '../../seals.ts'
import type { Place } from '../shape.ts'
import {
  type Block,
  type BlockOf,
  type CountRequest,
  checkBlocks,
  type MessagesRequest,
  refuseAt,
} from './schema.ts'

/** Everything one side said before the other spoke. */
export interface MergedTurn {
  readonly role: 'user' | 'assistant'
  /** Position of its first message in the request. */
  readonly index: number
  readonly blocks: readonly Block[]
}

interface GrowingTurn extends MergedTurn {
  readonly blocks: Block[]
}

type WireMessage = CountRequest['messages'][number]

/** The turns of a conversation, with neighbours of the same role put together as the real service does. */
export function mergeTurns(messages: readonly WireMessage[]): readonly MergedTurn[] {
  const turns: GrowingTurn[] = []
  messages.forEach((message, index) => {
    const blocks = readBlocks(message, index)
    if (message.role === 'system') return
    const last = turns.at(-1)
    if (last?.role === message.role) for (const block of blocks) last.blocks.push(block)
    else turns.push({ role: message.role, index, blocks: [...blocks] })
  })
  return turns
}

function readBlocks({ role, content }: WireMessage, index: number): readonly Block[] {
  const place: Place = ['messages', index, 'content']
  if (content.length === 0)
    throw refuseAt(['messages', index], `${role} messages must have non-empty content`)
  const blocks = checkBlocks(content, role, place)
  for (const block of blocks) {
    if (block.type === 'text') checkWords(block.text, 'messages')
    if (block.type === 'tool_result') checkResult(block)
  }
  return blocks
}

export function checkWords(text: string, where: string): void {
  if (text === '') throw wrong(`${where}: text content blocks must be non-empty`)
  if (text.trim() === '') throw wrong(`${where}: text content blocks must contain non-whitespace text`)
}

function checkResult({ content, tool_use_id: id }: BlockOf<'tool_result'>): void {
  if (!Array.isArray(content)) return
  for (const block of checkBlocks(content, 'result', ['messages', 'tool_result', id, 'content'])) {
    if (block.type === 'text' && block.text === '')
      throw wrong('messages: text content blocks must be non-empty')
  }
}

/** The rules of order that the real service holds a conversation to. */
export function checkOrder(turns: readonly MergedTurn[]): void {
  if (turns.length === 0) throw wrong('messages: at least one message is required')
  if (turns[0]?.role !== 'user') throw wrong('messages: first message must use the "user" role')
  turns.forEach((turn, position) => {
    if (turn.role === 'assistant') checkAnswered(turn, turns[position + 1])
    else checkAsked(turn, turns[position - 1])
  })
  checkUnique(turns)
  if (turns.at(-1)?.role === 'assistant') {
    throw wrong(
      'This model does not support assistant message prefill. The conversation must end with a user message.',
    )
  }
}

// Only results at the very beginning of the next turn count, so anything said before them is a fault too.
function checkAnswered(turn: MergedTurn, next: MergedTurn | undefined): void {
  const answered = new Set(leadingResults(next).map((block) => block.tool_use_id))
  const missing = toolUses(turn).filter(({ id }) => !answered.has(id))
  if (missing.length === 0) return
  const ids = missing.map(({ id }) => id).join(', ')
  const message = `\`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${ids}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`
  throw refuseAt(['messages', next?.index ?? turn.index], message)
}

function checkAsked(turn: MergedTurn, previous: MergedTurn | undefined): void {
  const asked = new Set(previous === undefined ? [] : toolUses(previous).map(({ id }) => id))
  const seen = new Set<string>()
  turn.blocks.forEach((block, index) => {
    if (block.type !== 'tool_result') return
    const place: Place = ['messages', turn.index, 'content', index]
    if (!asked.has(block.tool_use_id)) {
      const message = `unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${block.tool_use_id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`
      throw refuseAt(place, message)
    }
    if (seen.has(block.tool_use_id)) {
      throw refuseAt(place, `each tool_use must have a single result. Found multiple: ${block.tool_use_id}`)
    }
    seen.add(block.tool_use_id)
  })
}

function checkUnique(turns: readonly MergedTurn[]): void {
  const ids = turns.flatMap(toolUses).map(({ id }) => id)
  if (new Set(ids).size < ids.length) throw wrong('messages: `tool_use` ids must be unique')
}

function leadingResults(turn: MergedTurn | undefined): readonly BlockOf<'tool_result'>[] {
  const results: BlockOf<'tool_result'>[] = []
  for (const block of turn?.blocks ?? []) {
    if (block.type !== 'tool_result') break
    results.push(block)
  }
  return results
}

export function toolUses({ blocks }: MergedTurn): readonly BlockOf<'tool_use'>[] {
  return blocks.filter((block) => block.type === 'tool_use')
}

function wrong(message: string): SandboxError {
  return new SandboxError('bad-request', message, { field: 'messages' })
}

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
    // A redacted thought comes back empty.
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
