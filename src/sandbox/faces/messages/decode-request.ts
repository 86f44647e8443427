import { asArray, asObject } from '../../../wire/json-values.ts'
import type { Ask, SeenImage, ThinkingWish, Tool, ToolChoice, Turn } from '../../performance/ask.ts'
import { SandboxError } from '../../sandbox-error.ts'
import type { Seals } from '../../seals.ts'
import { LINKED_IMAGE, readImageData } from '../face.ts'
import {
  checkOrder,
  checkSignatures,
  checkThoughtKept,
  checkWords,
  type MergedTurn,
  mergeTurns,
  toolUses,
} from './history.ts'
import {
  type Block,
  type BlockOf,
  type CountRequest,
  checkBlocks,
  type MessagesTool,
  refuseAt,
} from './schema.ts'

/** Reads the prompt; what bounds the answer is left open. */
export function decodePrompt(request: CountRequest, seals: Seals): Ask {
  const turns = mergeTurns(request.messages)
  checkOrder(turns)
  checkTools(request, turns)
  checkSignatures(turns, request.model, seals)
  checkThoughtKept(turns, request)
  const names = new Map(turns.flatMap(toolUses).map(({ id, name }) => [id, name]))
  const format = request.output_config?.format ?? null
  if (format !== null) checkOutputSchema(format.schema)
  return {
    model: request.model,
    instructions: decodeInstructions(request),
    turns: turns.flatMap((turn) => decodeTurn(turn, names)),
    tools: (request.tools ?? []).flatMap((tool, index) => decodeTool(tool, index)),
    toolChoice: decodeToolChoice(request.tool_choice),
    parallelTools: request.tool_choice?.disable_parallel_tool_use !== true,
    thinking: decodeThinking(request.thinking?.type),
    maxOutputTokens: null,
    stopSequences: [],
    choices: 1,
    shape: format === null ? { type: 'text' } : { type: 'json-schema', schema: format.schema },
  }
}

function checkTools(request: CountRequest, turns: readonly MergedTurn[]): void {
  const hasTools = (request.tools ?? []).length > 0
  if (request.tool_choice !== undefined && request.tool_choice.type !== 'none' && !hasTools)
    throw refuseAt(['tool_choice'], '`tool_choice` may only be specified while providing `tools`.')
  if (!hasTools && turns.some((turn) => toolUses(turn).length > 0)) {
    const message = 'Requests which include `tool_use` or `tool_result` blocks must define tools.'
    throw new SandboxError('bad-request', message, { field: 'tools' })
  }
}

function decodeInstructions({ system, messages }: CountRequest): readonly string[] {
  const top = typeof system === 'string' ? [system] : (system ?? []).map(({ text }) => text)
  if (Array.isArray(system)) for (const text of top) checkWords(text, 'system')
  const later = messages.flatMap(({ role, content }) => (role === 'system' ? [readContent(content)] : []))
  return [...top, ...later].filter((text) => text !== '')
}

function readContent(content: CountRequest['messages'][number]['content']): string {
  return readText(checkBlocks(content, 'system', ['messages']))
}

/** Tool results come before the user's other blocks, each as a separate turn. */
function decodeTurn({ role, blocks }: MergedTurn, names: ReadonlyMap<string, string>): readonly Turn[] {
  const results = blocks.flatMap((block) =>
    block.type === 'tool_result' ? [decodeResult(block, names)] : [],
  )
  const rest = blocks.filter((block) => block.type !== 'tool_result')
  const said: Turn = { role, text: readText(rest), images: readImages(rest), toolName: null }
  return rest.length === 0 ? results : [...results, said]
}

function decodeResult(result: BlockOf<'tool_result'>, names: ReadonlyMap<string, string>): Turn {
  const content = result.content ?? ''
  const blocks = content === '' ? [] : checkBlocks(content, 'result', ['messages'])
  return {
    role: 'tool',
    text: readText(blocks),
    images: readImages(blocks),
    toolName: names.get(result.tool_use_id) ?? null,
    isError: result.is_error === true,
  }
}

// The calls of earlier turns are part of the prompt and cost tokens like any other text; its thoughts are not.
function readText(blocks: readonly Block[]): string {
  return blocks
    .flatMap((block) => {
      if (block.type === 'text') return [block.text]
      return block.type === 'tool_use' ? [JSON.stringify({ name: block.name, input: block.input })] : []
    })
    .join('\n')
}

function readImages(blocks: readonly Block[]): readonly SeenImage[] {
  return blocks.flatMap((block) => (block.type === 'image' ? [readImage(block)] : []))
}

function readImage({ source }: BlockOf<'image'>): SeenImage {
  if (source.type !== 'base64') return LINKED_IMAGE
  const missing = (['media_type', 'data'] as const).find((name) => source[name] === undefined)
  if (missing !== undefined)
    throw refuseAt(['messages', 'image', 'source', 'base64', missing], 'Field required')
  return readImageData(source.media_type ?? '', source.data ?? '')
}

// A tool of another type is run by the supplier or has no schema; the sandbox calls neither.
function decodeTool(tool: MessagesTool, index: number): readonly Tool[] {
  if ((tool.type ?? 'custom') !== 'custom') return []
  if (tool.input_schema === undefined)
    throw refuseAt(['tools', index, 'custom', 'input_schema'], 'Field required')
  return [{ name: tool.name, input: { type: 'json', schema: tool.input_schema } }]
}

function decodeToolChoice(choice: CountRequest['tool_choice']): ToolChoice {
  switch (choice?.type) {
    case 'any':
      return { type: 'required' }
    case 'none':
      return { type: 'none' }
    case 'tool':
      return { type: 'named', name: choice.name ?? '' }
    default:
      return { type: 'auto' }
  }
}

function decodeThinking(type: NonNullable<CountRequest['thinking']>['type'] | undefined): ThinkingWish {
  if (type === undefined) return 'unsaid'
  return type === 'disabled' ? 'declined' : 'asked'
}

const PLACE = ['output_config', 'format', 'schema'] as const

/** Limits that the real service cannot hold a model to, and therefore refuses to be given. */
const UNSUPPORTED = [
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'uniqueItems',
  'maxItems',
  'minProperties',
  'maxProperties',
  'not',
  'oneOf',
  'if',
  'patternProperties',
]

/** Structured output takes a narrower JSON Schema than tools do. */
function checkOutputSchema(schema: unknown): void {
  const node = asObject(schema)
  if (node === null) return
  const found = UNSUPPORTED.find((keyword) => keyword in node)
  if (found !== undefined)
    throw refuseAt(PLACE, `For '${String(node.type)}' type, property '${found}' is not supported`)
  if (typeof node.minItems === 'number' && node.minItems > 1)
    throw refuseAt(PLACE, "For 'array' type, 'minItems' values other than 0 or 1 are not supported")
  if (node.type === 'object' && node.additionalProperties !== false)
    throw refuseAt(PLACE, "For 'object' type, 'additionalProperties' must be explicitly set to false")
  for (const inner of innerSchemas(node)) checkOutputSchema(inner)
}

function innerSchemas(node: Readonly<Record<string, unknown>>): readonly unknown[] {
  return [
    ...Object.values(asObject(node.properties) ?? {}),
    ...Object.values(asObject(node.$defs) ?? {}),
    ...asArray(node.anyOf),
    ...asArray(node.allOf),
    node.items,
  ]
}
