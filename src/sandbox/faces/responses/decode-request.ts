import type { AnswerShape, Ask, SeenImage, ThinkingWish, Turn } from '../../performance/ask.ts'
import { Refusal } from '../../refusal.ts'
import type { Seals } from '../../seals.ts'
import { LINKED_IMAGE, readImageAddress } from '../image.ts'
import { checkThoughts, nameCalls } from './history.ts'
import { type AskedMessage, checkItems, type InputItem, type SaidMessage } from './items.ts'
import type { ResponsesRequest } from './schema.ts'
import { decodeToolChoice, decodeTools } from './tools.ts'

type Parts = AskedMessage['content'] | SaidMessage['content']

export function decodeRequest(request: ResponsesRequest, seals: Seals): Ask {
  const items = checkItems(request)
  const callNames = nameCalls(items)
  checkThoughts(items, request.model, seals)
  const instructions = request.instructions ?? ''
  return {
    model: request.model,
    instructions: [...(instructions === '' ? [] : [instructions]), ...items.flatMap(readInstruction)],
    turns: items.flatMap((item) => decodeTurn(item, callNames)),
    tools: decodeTools(request),
    toolChoice: decodeToolChoice(request.tool_choice),
    parallelTools: request.parallel_tool_calls !== false,
    thinking: decodeThinking(request.reasoning?.effort ?? null),
    maxOutputTokens: request.max_output_tokens ?? null,
    stopSequences: [],
    choices: 1,
    shape: decodeShape(request),
  }
}

function readInstruction(item: InputItem): readonly string[] {
  return isInstruction(item) ? [readText(item.content)] : []
}

function isInstruction(item: InputItem): item is AskedMessage {
  return item.type === 'message' && (item.role === 'system' || item.role === 'developer')
}

function decodeTurn(item: InputItem, callNames: ReadonlyMap<string, string>): readonly Turn[] {
  switch (item.type) {
    case 'message':
      return decodeMessage(item)
    // The calls of earlier turns are part of the prompt and cost tokens like any other text.
    case 'function_call':
      return [turn('assistant', JSON.stringify({ name: item.name, arguments: item.arguments }))]
    case 'custom_tool_call':
      return [turn('assistant', JSON.stringify({ name: item.name, input: item.input }))]
    case 'function_call_output':
    case 'custom_tool_call_output':
      return [{ ...turn('tool', item.output), toolName: callNames.get(item.call_id) ?? null }]
    case 'reasoning':
      return []
  }
}

function decodeMessage(message: AskedMessage | SaidMessage): readonly Turn[] {
  const { role, content } = message
  return role === 'user' || role === 'assistant' ? [turn(role, content)] : []
}

function turn(role: Turn['role'], content: Parts): Turn {
  return { role, text: readText(content), images: readImages(content), toolName: null }
}

function readText(content: Parts): string {
  if (typeof content === 'string') return content
  return content.flatMap((part) => part.text ?? []).join('\n')
}

function readImages(content: Parts): readonly SeenImage[] {
  if (typeof content === 'string') return []
  return content.flatMap((part) => (part.type === 'input_image' ? [readImage(part.image_url ?? null)] : []))
}

function readImage(url: string | null): SeenImage {
  const image = url === null ? LINKED_IMAGE : readImageAddress(url)
  if (image !== null) return image
  const message = 'Invalid image_url: expected an http(s) address or a base64 data URL.'
  throw new Refusal('bad-request', message, { field: 'input', code: 'invalid_value' })
}

function decodeThinking(effort: string | null): ThinkingWish {
  if (effort === null) return 'unsaid'
  return effort === 'none' ? 'declined' : 'asked'
}

function decodeShape({ text }: ResponsesRequest): AnswerShape {
  const format = text?.format ?? null
  if (format === null || format.type === 'text') return { type: 'text' }
  if (format.type === 'json_object') return { type: 'json-object' }
  const missing = (['name', 'schema'] as const).find((name) => format[name] === undefined)
  if (missing === undefined) return { type: 'json-schema', schema: format.schema }
  const field = `text.format.${missing}`
  throw new Refusal('bad-request', `Missing required parameter: '${field}'.`, { field })
}
