import type { Instruction, Turn } from '../../../conversation/conversation.ts'
import type { OpaquePart, Part, ToolCallPart, ToolResultPart } from '../../../conversation/part.ts'
import { asObject, asText, type JsonObject } from '../../../wire/json-values.ts'
import { type ContentPart, decodeContent } from '../content.ts'
import { FORMAT } from '../format.ts'
import { decodeReasoning } from '../reasoning.ts'
import { kindOfItem } from './input-items.ts'

/** Adds one input item to the turns. */
export function decodeItem(item: JsonObject, turns: TurnGatherer): void {
  const kind = kindOfItem(item)
  switch (kind) {
    case 'message':
      turns.add(roleOf(item.role), decodeContent(item.content))
      return
    case 'reasoning': {
      const thinking = decodeReasoning(item)
      if (thinking !== null) turns.add('assistant', [thinking])
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

/** Decodes a call from a client or a supplier. */
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

/** Newer suppliers send an object instead of its JSON text. */
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

/** Tool outputs and items that clients add belong to the user, all others to the model. */
function authorOf(kind: string): 'user' | 'assistant' {
  return /_output$|_response$|^additional_tools$|^configuration_update$|^compaction_trigger$/.test(kind)
    ? 'user'
    : 'assistant'
}

/** An item that only this format has. */
export function opaqueItem(item: JsonObject): OpaquePart {
  return { type: 'opaque', format: FORMAT, kind: kindOfItem(item), value: item }
}

/** Turns form a linked list, because a late result inserts a turn in the middle. */
interface OpenTurn {
  readonly role: Turn['role']
  readonly parts: Part[]
  next: OpenTurn | null
}

interface KnownCall {
  readonly turn: OpenTurn
  readonly call: ToolCallPart
}

/** Collects the parts of input items into turns in normal form. */
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

  /** A result goes right after its call, whatever the client sent in between. */
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

  /** Instructions are text only. Other parts before the first turn go into a user turn. */
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

/** Puts results first, one per call and in call order. The later of two results for one call wins. */
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
