import type { Instruction, Turn } from '../../conversation/conversation.ts'
import type { Part, ToolCallPart, ToolResultPart } from '../../conversation/part.ts'

interface OpenTurn {
  readonly role: Turn['role']
  parts: Part[]
}

interface KnownCall {
  readonly turn: OpenTurn
  readonly call: ToolCallPart
}

/** Gathers parts in the order of their items into turns of the normal form. */
export class TurnGatherer {
  readonly instructions: Instruction[]
  readonly #turns: OpenTurn[] = []
  readonly #calls = new Map<string, KnownCall>()

  constructor(instructions: readonly Instruction[]) {
    this.instructions = [...instructions]
  }

  add(role: Turn['role'], parts: readonly Part[]): void {
    if (parts.length === 0) return
    if (role === 'system' && this.#turns.length === 0) this.#addInstructions(parts)
    else for (const part of parts) this.#turnFor(role).parts.push(part)
  }

  addCall(call: ToolCallPart): void {
    const turn = this.#turnFor('assistant')
    turn.parts.push(call)
    this.#calls.set(call.id, { turn, call })
  }

  /** A result belongs right after its call, whatever the client put between the two. */
  addResult(result: Omit<ToolResultPart, 'name'>): void {
    const known = this.#calls.get(result.callId)
    const turn = known === undefined ? this.#turnFor('user') : this.#turnAfter(known.turn)
    turn.parts.push({ ...result, name: known?.call.name ?? null })
  }

  turns(): Turn[] {
    return this.#turns.map(({ role, parts }, index) => ({
      role,
      parts: role === 'user' ? arrangeResults(parts, this.#turns[index - 1]?.parts ?? []) : parts,
    }))
  }

  /** Instructions are text; anything else before the first turn is taken for the user's. */
  #addInstructions(parts: readonly Part[]): void {
    for (const part of parts) {
      if (part.type === 'text') this.instructions.push({ text: part.text, cache: part.cache })
      else this.#turnFor('user').parts.push(part)
    }
  }

  #turnFor(role: Turn['role']): OpenTurn {
    const last = this.#turns.at(-1)
    if (last?.role === role) return last
    const turn: OpenTurn = { role, parts: [] }
    this.#turns.push(turn)
    return turn
  }

  #turnAfter(turn: OpenTurn): OpenTurn {
    const index = this.#turns.lastIndexOf(turn)
    const next = this.#turns[index + 1]
    if (next?.role === 'user') return next
    const inserted: OpenTurn = { role: 'user', parts: [] }
    this.#turns.splice(index + 1, 0, inserted)
    return inserted
  }
}

/** Results first, one for each call, in the order of the calls; of two for one call the later counts. */
function arrangeResults(parts: readonly Part[], before: readonly Part[]): Part[] {
  const results = new Map<string, ToolResultPart>()
  const others: Part[] = []
  for (const part of parts) {
    if (part.type === 'tool-result') results.set(part.callId, part)
    else others.push(part)
  }
  if (results.size === 0) return others
  const places = new Map(
    before.flatMap((part, index) => (part.type === 'tool-call' ? [[part.id, index]] : [])),
  )
  const placeOf = ({ callId }: ToolResultPart) => places.get(callId) ?? Number.POSITIVE_INFINITY
  const inOrder = [...results.values()].sort((one, other) => comparePlaces(placeOf(one), placeOf(other)))
  return [...inOrder, ...others]
}

function comparePlaces(one: number, other: number): number {
  if (one === other) return 0
  return one < other ? -1 : 1
}
