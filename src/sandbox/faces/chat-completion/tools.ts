import type { Tool, ToolChoice } from '../../performance/ask.ts'
import { Refusal } from '../../refusal.ts'
import type { ChatMessage, ChatRequest, ChatToolCall, ChatToolDefinition } from './schema.ts'

type WireToolChoice = NonNullable<ChatRequest['tool_choice']>

/** The tools the model may use: the offered ones, or those of them that the choice allows. */
export function decodeTools(request: ChatRequest): readonly Tool[] {
  const offered = (request.tools ?? []).map(decodeTool)
  const choice = request.tool_choice
  if (typeof choice !== 'object' || choice === null || !('allowed_tools' in choice)) return offered
  const names = choice.allowed_tools.tools.map((tool) => tool.function?.name ?? tool.custom?.name)
  const allowed = new Set(names)
  return offered.filter((tool) => allowed.has(tool.name))
}

function decodeTool(definition: ChatToolDefinition, index: number): Tool {
  if (definition.type === 'custom' && definition.custom !== undefined) {
    return { name: definition.custom.name, input: { type: 'text' } }
  }
  if (definition.function === undefined) {
    const field = `tools[${index}].function`
    throw new Refusal('bad-request', `Missing required parameter: '${field}'.`, { field })
  }
  const schema = definition.function.parameters ?? { type: 'object' }
  return { name: definition.function.name, input: { type: 'json', schema } }
}

export function decodeToolChoice(choice: WireToolChoice): ToolChoice {
  if (typeof choice === 'string') return { type: choice }
  if ('allowed_tools' in choice) return { type: choice.allowed_tools.mode }
  return { type: 'named', name: choice.function?.name ?? choice.custom?.name ?? '' }
}

/**
 * The tool behind each call id. Real suppliers refuse a history whose calls and results do not pair up, and so
 * must the sandbox, because a gateway that loses half of a pair is exactly what it is there to catch.
 */
export function nameCalls(messages: readonly ChatMessage[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  const open = new Set<string>()
  messages.forEach((message, index) => {
    if (message.role === 'tool') closeCall(open, message, index)
    else if (open.size > 0) throw unanswered(open, index)
    for (const call of message.tool_calls ?? []) {
      names.set(call.id, callName(call))
      open.add(call.id)
    }
  })
  if (open.size > 0) throw unanswered(open, messages.length)
  return names
}

function callName(call: ChatToolCall): string {
  return call.function?.name ?? call.custom?.name ?? ''
}

function closeCall(open: Set<string>, message: ChatMessage, index: number): void {
  if (open.delete(message.tool_call_id ?? '')) return
  const text = "Messages with role 'tool' must answer a call of the preceding message with 'tool_calls'."
  throw new Refusal('bad-request', text, { field: `messages[${index}].tool_call_id` })
}

function unanswered(open: ReadonlySet<string>, index: number): Refusal {
  const text = `These calls of 'tool_calls' are not followed by a tool message: ${[...open].join(', ')}.`
  return new Refusal('bad-request', text, { field: `messages[${index}].role` })
}
