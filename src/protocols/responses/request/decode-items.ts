import type { Turn } from '../../../conversation/conversation.ts'
import type { OpaquePart, ToolCallPart, ToolResultPart } from '../../../conversation/part.ts'
import { asObject, asText, type JsonObject } from '../../../wire/json-values.ts'
import { type ContentPart, decodeContent } from '../content.ts'
import { FORMAT } from '../format-name.ts'
import { decodeReasoning } from '../reasoning-item.ts'
import type { TurnGatherer } from './gather-turns.ts'
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
