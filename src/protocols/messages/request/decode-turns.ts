import type { Instruction, Turn } from '../../../conversation/conversation.ts'
import type { Part, ToolResultPart } from '../../../conversation/part.ts'
import { decodeContent, type Role } from './decode-blocks.ts'
import type { MessagesContent, MessagesRequest } from './schema.ts'

interface OpenTurn {
  readonly role: Role
  readonly parts: Part[]
}

export interface DecodedTurns {
  readonly instructions: readonly Instruction[]
  readonly turns: readonly Turn[]
}

/** The prompt in normal form. */
export function decodeTurns({
  system,
  messages,
}: Pick<MessagesRequest, 'system' | 'messages'>): DecodedTurns {
  const instructions = decodeInstructions(system ?? '')
  const turns: OpenTurn[] = []
  for (const { role, content } of messages) {
    if (role === 'system' && turns.length === 0) append(instructions, decodeInstructions(content))
    else addTurn(turns, { role, parts: decodeContent(content, role) })
  }
  const names = toolNames(turns)
  return {
    instructions,
    turns: turns.map((turn, index) => ({
      role: turn.role,
      parts: turn.role === 'user' ? arrange(turn.parts, { before: turns[index - 1], names }) : turn.parts,
    })),
  }
}

function decodeInstructions(content: MessagesContent): Instruction[] {
  return decodeContent(content, 'system').flatMap((part) =>
    part.type === 'text' ? [{ text: part.text, cache: part.cache }] : [],
  )
}

function addTurn(turns: OpenTurn[], turn: OpenTurn): void {
  if (turn.parts.length === 0) return
  const last = turns.at(-1)
  if (last?.role === turn.role) append(last.parts, turn.parts)
  else turns.push(turn)
}

// Spreading into push would overflow the stack for a message of a million blocks.
function append<Item>(target: Item[], items: readonly Item[]): void {
  for (const item of items) target.push(item)
}

function toolNames(turns: readonly OpenTurn[]): ReadonlyMap<string, string> {
  const calls = turns.flatMap(({ parts }) => parts.filter((part) => part.type === 'tool-call'))
  return new Map(calls.map(({ id, name }) => [id, name]))
}

interface Surroundings {
  readonly before: OpenTurn | undefined
  readonly names: ReadonlyMap<string, string>
}

/** Results first, each once, in the order of the calls they answer. */
function arrange(parts: readonly Part[], { before, names }: Surroundings): readonly Part[] {
  const results = new Map<string, ToolResultPart>()
  for (const part of parts) {
    if (part.type === 'tool-result') {
      results.set(part.callId, { ...part, name: names.get(part.callId) ?? null })
    }
  }
  if (results.size === 0) return parts
  const inOrder: ToolResultPart[] = []
  for (const call of before?.parts ?? []) {
    const answer = call.type === 'tool-call' ? results.get(call.id) : undefined
    if (answer === undefined) continue
    inOrder.push(answer)
    results.delete(answer.callId)
  }
  return [...inOrder, ...results.values(), ...parts.filter(({ type }) => type !== 'tool-result')]
}
