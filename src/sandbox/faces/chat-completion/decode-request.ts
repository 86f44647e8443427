import type { AnswerShape, Ask, SeenImage, Tool, ToolChoice, Turn } from '../../performance/ask.ts'
import { SandboxError } from '../../sandbox-error.ts'
import { decodeEffort, decodeImageUrl, refuseMissing } from '../openai-style.ts'
import type { ChatMessage, ChatRequest, ChatToolCall, ChatToolDefinition } from './schema.ts'

export function decodeRequest(request: ChatRequest): Ask {
  const callNames = nameCalls(request.messages)
  return {
    model: request.model,
    instructions: request.messages.filter(isInstruction).map(readText),
    turns: request.messages
      .filter((message) => !isInstruction(message))
      .map((message) => decodeTurn(message, callNames)),
    tools: decodeTools(request),
    toolChoice: decodeToolChoice(request.tool_choice ?? 'auto'),
    parallelTools: request.parallel_tool_calls !== false,
    thinking: decodeEffort(request.reasoning_effort),
    maxOutputTokens: request.max_completion_tokens ?? request.max_tokens ?? null,
    stopSequences: typeof request.stop === 'string' ? [request.stop] : (request.stop ?? []),
    choices: request.n ?? 1,
    shape: decodeShape(request.response_format),
  }
}

function isInstruction(message: ChatMessage): boolean {
  return message.role === 'system' || message.role === 'developer'
}

function decodeTurn(message: ChatMessage, callNames: ReadonlyMap<string, string>): Turn {
  return {
    role: message.role === 'tool' ? 'tool' : message.role === 'assistant' ? 'assistant' : 'user',
    text: readText(message) + readCalls(message),
    images: readImages(message),
    toolName: callNames.get(message.tool_call_id ?? '') ?? null,
  }
}

function readText({ content }: ChatMessage): string {
  if (typeof content === 'string') return content
  return (content ?? []).flatMap((part) => part.text ?? []).join('\n')
}

// The calls of earlier turns are part of the prompt and cost tokens like any other text.
function readCalls({ tool_calls: calls }: ChatMessage): string {
  return (calls ?? []).map((call) => JSON.stringify(call.function ?? call.custom ?? {})).join('')
}

function readImages({ content }: ChatMessage): readonly SeenImage[] {
  if (!Array.isArray(content)) return []
  return content.flatMap(({ image_url: image }) =>
    image === undefined ? [] : decodeImageUrl(image.url, { field: 'messages' }),
  )
}

function decodeShape(format: ChatRequest['response_format']): AnswerShape {
  switch (format?.type) {
    case 'json_object':
      return { type: 'json-object' }
    case 'json_schema':
      if (format.json_schema === undefined) throw refuseMissing('response_format.json_schema')
      return { type: 'json-schema', schema: format.json_schema.schema }
    default:
      return { type: 'text' }
  }
}

type WireToolChoice = NonNullable<ChatRequest['tool_choice']>

/** The tools the model may use: the offered ones, or those of them that the choice allows. */
function decodeTools(request: ChatRequest): readonly Tool[] {
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
  if (definition.function === undefined) throw refuseMissing(`tools[${index}].function`)
  const schema = definition.function.parameters ?? { type: 'object' }
  return { name: definition.function.name, input: { type: 'json', schema } }
}

function decodeToolChoice(choice: WireToolChoice): ToolChoice {
  if (typeof choice === 'string') return { type: choice }
  if ('allowed_tools' in choice) return { type: choice.allowed_tools.mode }
  return { type: 'named', name: choice.function?.name ?? choice.custom?.name ?? '' }
}

/**
 * The tool behind each call id. Real suppliers refuse a history whose calls and results do not pair up, and so
 * must the sandbox, because a gateway that loses half of a pair is exactly what it is there to catch.
 */
function nameCalls(messages: readonly ChatMessage[]): ReadonlyMap<string, string> {
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
  throw new SandboxError('bad-request', text, { field: `messages[${index}].tool_call_id` })
}

function unanswered(open: ReadonlySet<string>, index: number): SandboxError {
  const text = `These calls of 'tool_calls' are not followed by a tool message: ${[...open].join(', ')}.`
  return new SandboxError('bad-request', text, { field: `messages[${index}].role` })
}
