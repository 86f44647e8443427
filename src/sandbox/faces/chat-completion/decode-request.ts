import type { AnswerShape, Ask, SeenImage, ThinkingWish, Turn } from '../../performance/ask.ts'
import { Refusal } from '../../refusal.ts'
import { readImageAddress } from '../image.ts'
import type { ChatMessage, ChatRequest } from './schema.ts'
import { decodeToolChoice, decodeTools, nameCalls } from './tools.ts'

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
    thinking: decodeThinking(request.reasoning_effort ?? null),
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
  return content.flatMap((part) => (part.image_url === undefined ? [] : decodeImage(part.image_url.url)))
}

function decodeImage(url: string): SeenImage {
  const image = readImageAddress(url)
  if (image !== null) return image
  throw new Refusal('bad-request', 'Invalid image_url: expected an http(s) address or a base64 data URL.', {
    field: 'messages',
  })
}

function decodeThinking(effort: string | null): ThinkingWish {
  if (effort === null) return 'unsaid'
  return effort === 'none' ? 'declined' : 'asked'
}

function decodeShape(format: ChatRequest['response_format']): AnswerShape {
  switch (format?.type) {
    case 'json_object':
      return { type: 'json-object' }
    case 'json_schema':
      if (format.json_schema === undefined) {
        const field = 'response_format.json_schema'
        throw new Refusal('bad-request', `Missing required parameter: '${field}'.`, { field })
      }
      return { type: 'json-schema', schema: format.json_schema.schema }
    default:
      return { type: 'text' }
  }
}
