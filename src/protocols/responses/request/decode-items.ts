import type { Instruction, Turn } from '../../../conversation/conversation.ts'
import type { OpaquePart, Part, ToolCallPart, ToolResultPart } from '../../../conversation/part.ts'
import { asObject, asText, type JsonObject } from '../../../wire/json-values.ts'
import { type ContentPart, decodeContent } from '../content.ts'
import { FORMAT } from '../format.ts'
import { decodeReasoning } from '../reasoning.ts'
import { kindOfItem } from './input-items.ts'

/** Puts one input item where it belongs. */
export function decodeItem(item: JsonObject, turns: TurnGatherer): void {
  const kind = kindOfItem(item)
  switch (kind) {
    case 'message':
      turns.add(roleOf(item.role), decodeContent(item.content))
      return
    case 'reasoning': {
      const thought = decodeReasoning(item)
      if (thought !== null) turns.add('assistant', [thought])
      return
    }
    case 'function_call':
    case 'custom_tool_call':
      turns.addCall(decodeCall(item, kind === 'custom_tool_call' ? 'custom' : 'function'))
      return
    case 'function_call_output':
    case 'custom_tool_call_output':
      turns.addResult(decodeResult(item, kind === 'custom_tool_call_output' ? 'custom' : 'function'))
      return
    default:
      turns.add(authorOf(kind), [opaqueItem(item)])
  }
}

function roleOf(role: unknown): Turn['role'] {
  if (role === 'assistant') return 'assistant'
  return role === 'system' || role === 'developer' ? 'system' : 'user'
}

/** A call as client or supplier writes it. */
export function decodeCall(item: JsonObject, kind: ToolCallPart['kind']): ToolCallPart {
  return {
    type: 'tool-call',
    id: asText(item.call_id) ?? asText(item.id) ?? '',
    name: asText(item.name) ?? '',
    kind,
    input: kind === 'custom' ? inputText(item.input) : inputText(item.arguments),
    namespace: asText(item.namespace),
    proof: null,
  }
}

/** Newer suppliers give an object where others give its text. */
export function inputText(value: unknown): string {
  if (typeof value === 'string') return value
  return asObject(value) === null ? '' : JSON.stringify(value)
}

function decodeResult(item: JsonObject, kind: ToolResultPart['kind']): Omit<ToolResultPart, 'name'> {
  return {
    type: 'tool-result',
    callId: asText(item.call_id) ?? '',
    kind,
    parts: decodeContent(item.output).map(asResultPart),
    isError: false,
    cache: null,
  }
}

function asResultPart(part: ContentPart): ToolResultPart['parts'][number] {
  if (part.type !== 'refusal') return part
  return { type: 'text', text: part.text, cache: null, citations: [], proof: null }
}

/** Answers of tools and what clients add by themselves are the user's; all else was written by the model. */
function authorOf(kind: string): 'user' | 'assistant' {
  return /_output$|_response$|^additional_tools$|^configuration_update$|^compaction_trigger$/.test(kind)
    ? 'user'
    : 'assistant'
}

/** An item only this format knows. */
export function opaqueItem(item: JsonObject): OpaquePart {
  return { type: 'opaque', format: FORMAT, kind: kindOfItem(item), value: item }
}

/** Turns are chained: a result that comes late opens a turn in the middle, which no list does without moving the rest. */
interface OpenTurn {
  readonly role: Turn['role']
  readonly parts: Part[]
  next: OpenTurn | null
}

interface KnownCall {
  readonly turn: OpenTurn
  readonly call: ToolCallPart
}

/** Gathers parts in the order of their items into turns of the normal form. */
export class TurnGatherer {
  readonly instructions: Instruction[]
  #first: OpenTurn | null = null
  #last: OpenTurn | null = null
  readonly #calls = new Map<string, KnownCall>()

  constructor(instructions: readonly Instruction[]) {
    this.instructions = [...instructions]
  }

  add(role: Turn['role'], parts: readonly Part[]): void {
    if (parts.length === 0) return
    if (role === 'system' && this.#first === null) this.#addInstructions(parts)
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
    const turns: Turn[] = []
    let before: readonly Part[] = []
    for (let turn = this.#first; turn !== null; turn = turn.next) {
      const { role, parts } = turn
      turns.push({ role, parts: role === 'user' ? arrangeResults(parts, before) : parts })
      before = parts
    }
    return turns
  }

  /** Instructions are text; anything else before the first turn is taken for the user's. */
  #addInstructions(parts: readonly Part[]): void {
    for (const part of parts) {
      if (part.type === 'text') this.instructions.push({ text: part.text, cache: part.cache })
      else this.#turnFor('user').parts.push(part)
    }
  }

  #turnFor(role: Turn['role']): OpenTurn {
    return this.#last?.role === role ? this.#last : this.#insert(role, this.#last)
  }

  #turnAfter(turn: OpenTurn): OpenTurn {
    return turn.next?.role === 'user' ? turn.next : this.#insert('user', turn)
  }

  #insert(role: Turn['role'], after: OpenTurn | null): OpenTurn {
    const turn: OpenTurn = { role, parts: [], next: after?.next ?? null }
    if (after === null) this.#first = turn
    else after.next = turn
    if (after === this.#last) this.#last = turn
    return turn
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
