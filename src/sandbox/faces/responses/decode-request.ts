import type { AnswerShape, Ask, SeenImage, Tool, ToolChoice, Turn } from '../../performance/ask.ts'
import type { Seals } from '../../seals.ts'
import { LINKED_IMAGE } from '../face.ts'
import { decodeEffort, decodeImageUrl, refuseMissing } from '../openai-style.ts'
import { openSummary } from './compaction.ts'
import { checkThoughts, nameCalls } from './history.ts'
import {
  type AskedMessage,
  checkItems,
  type InputItem,
  type ResponsesRequest,
  type ResponsesTool,
  type SaidMessage,
} from './schema.ts'

/** What asks a model of the sandbox for a summary. */
export const SUMMARIZE = 'Summarize the conversation so far.'

type Parts = AskedMessage['content'] | SaidMessage['content']

export function decodeRequest(request: ResponsesRequest, seals: Seals): Ask {
  const items = checkItems(request)
  const callNames = nameCalls(items)
  checkThoughts(items, request.model, seals)
  const instructions = request.instructions ?? ''
  return {
    model: request.model,
    instructions: [...(instructions === '' ? [] : [instructions]), ...items.flatMap(readInstruction)],
    turns: items.flatMap((item, index) =>
      item.type === 'compaction'
        ? [turn('user', openSummary(item, seals, `input[${index}]`))]
        : decodeTurn(item, callNames),
    ),
    tools: decodeTools(request),
    toolChoice: decodeToolChoice(request.tool_choice),
    parallelTools: request.parallel_tool_calls !== false,
    thinking: decodeEffort(request.reasoning?.effort),
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
    case 'compaction':
      return []
    case 'compaction_trigger':
      return [turn('user', SUMMARIZE)]
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
  return content.flatMap((part) => {
    if (part.type !== 'input_image') return []
    const url = part.image_url ?? null
    return url === null ? LINKED_IMAGE : decodeImageUrl(url, { field: 'input', code: 'invalid_value' })
  })
}

function decodeShape({ text }: ResponsesRequest): AnswerShape {
  const format = text?.format ?? null
  if (format === null || format.type === 'text') return { type: 'text' }
  if (format.type === 'json_object') return { type: 'json-object' }
  const missing = (['name', 'schema'] as const).find((name) => format[name] === undefined)
  if (missing === undefined) return { type: 'json-schema', schema: format.schema }
  throw refuseMissing(`text.format.${missing}`)
}

type WireTool = Omit<ResponsesTool, 'tools'>

/** The tools the model may use: the offered ones, or those of them that the choice allows. */
function decodeTools({ tools, tool_choice: choice }: ResponsesRequest): readonly Tool[] {
  const offered = (tools ?? []).flatMap((tool, index) => decodeTool(tool, index))
  if (typeof choice !== 'object' || choice?.type !== 'allowed_tools') return offered
  const allowed = new Set((choice.tools ?? []).map(({ name }) => name))
  return offered.filter(({ name }) => allowed.has(name))
}

function decodeTool(tool: ResponsesTool, index: number): readonly Tool[] {
  if (tool.type !== 'namespace') return decodeCallable(tool, `tools[${index}]`)
  const namespace = tool.name ?? ''
  return (tool.tools ?? []).flatMap((member, inside) =>
    decodeCallable(member, `tools[${index}].tools[${inside}]`).map((callable) => ({
      ...callable,
      namespace,
    })),
  )
}

// A tool of any other type is one the supplier runs itself; the sandbox runs none.
function decodeCallable(tool: WireTool, field: string): readonly Tool[] {
  if (tool.type !== 'function' && tool.type !== 'custom') return []
  if (tool.name === undefined) throw refuseMissing(`${field}.name`)
  if (tool.type === 'custom') return [{ name: tool.name, input: { type: 'text' } }]
  return [{ name: tool.name, input: { type: 'json', schema: tool.parameters ?? { type: 'object' } } }]
}

function decodeToolChoice(choice: ResponsesRequest['tool_choice']): ToolChoice {
  if (choice === undefined || choice === null) return { type: 'auto' }
  if (typeof choice === 'string') return { type: choice }
  if (choice.type === 'allowed_tools') return { type: choice.mode ?? 'auto' }
  return choice.name === undefined ? { type: 'auto' } : { type: 'named', name: choice.name }
}
