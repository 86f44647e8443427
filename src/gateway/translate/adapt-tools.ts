import { createHash } from 'node:crypto'
import type { Conversation, Turn } from '../../conversation/conversation.ts'
import type { Part, ToolCallPart, ToolResultPart } from '../../conversation/part.ts'
import type { CustomTool, FunctionTool, Tool, ToolChoice } from '../../conversation/tool.ts'
import type { ToolRules } from '../../protocols/translation.ts'

/** A tool as the client knows it. */
export interface ClientTool {
  readonly name: string
  readonly namespace: string | null
  readonly kind: 'function' | 'custom'
}

export interface AdaptedConversation {
  readonly conversation: Conversation
  /** Tools whose name or kind is another towards the supplier, by the name the supplier knows. */
  readonly clientTools: ReadonlyMap<string, ClientTool>
}

/**
 * The conversation with tools, calls and ids a supplier of the given rules accepts: groups become part of the name,
 * free-text tools become functions with one text argument, names and ids out of bounds get a stable alias.
 */
export function adaptTools(conversation: Conversation, rules: ToolRules): AdaptedConversation {
  const aliases = new ToolAliases(rules)
  const adapted: Conversation = {
    ...conversation,
    tools: conversation.tools.map((tool) => adaptTool(tool, aliases)),
    toolChoice:
      conversation.toolChoice === null ? null : adaptChoice(conversation.toolChoice, conversation, aliases),
    turns: conversation.turns.map((turn) => adaptTurn(turn, aliases)),
  }
  return { conversation: adapted, clientTools: aliases.clientTools }
}

class ToolAliases {
  readonly rules: ToolRules
  readonly clientTools = new Map<string, ClientTool>()

  constructor(rules: ToolRules) {
    this.rules = rules
  }

  /** What the supplier will call the tool. */
  name(tool: ClientTool): { name: string; namespace: string | null; kind: ClientTool['kind'] } {
    const isFlattened = tool.namespace !== null && !this.rules.hasNamespaces
    const wanted = isFlattened ? `${tool.namespace}__${tool.name}` : tool.name
    const name = this.rules.name.test(wanted) ? wanted : aliasOf(wanted)
    const kind = tool.kind === 'custom' && !this.rules.hasCustomTools ? 'function' : tool.kind
    if (name !== tool.name || isFlattened || kind !== tool.kind) this.clientTools.set(name, tool)
    return { name, namespace: isFlattened ? null : tool.namespace, kind }
  }

  callId(id: string): string {
    return this.rules.callId.test(id) ? id : `call_${hash(id, 24)}`
  }
}

// Short enough for every format's limit, and the same in every request, so that prompt caches keep working.
const READABLE_CHARACTERS = 40

function aliasOf(name: string): string {
  const readable = name.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, READABLE_CHARACTERS)
  const start = /^[A-Za-z_]/.test(readable) ? readable : `_${readable}`
  return `${start}_${hash(name, 8)}`
}

function hash(text: string, characters: number): string {
  return createHash('sha256').update(text).digest('hex').slice(0, characters)
}

function adaptTool(tool: Tool, aliases: ToolAliases): Tool {
  if (tool.type !== 'function' && tool.type !== 'custom') return tool
  const { name, namespace, kind } = aliases.name({
    name: tool.name,
    namespace: tool.namespace,
    kind: tool.type,
  })
  if (tool.type === 'custom' && kind === 'function') return { ...functionFor(tool), name, namespace }
  return { ...tool, name, namespace }
}

/** A grammar cannot be enforced on a function's argument; telling the model of it is the best that is left. */
function functionFor(tool: CustomTool): FunctionTool {
  const grammar =
    tool.grammar === null
      ? ''
      : `\n\nThe input follows this ${tool.grammar.syntax} grammar:\n${tool.grammar.definition}`
  return {
    type: 'function',
    name: tool.name,
    namespace: tool.namespace,
    description: `${tool.description ?? ''}${grammar}`.trim() || null,
    schema: {
      type: 'object',
      properties: { input: { type: 'string', description: 'The whole input of the tool, as plain text.' } },
      required: ['input'],
      additionalProperties: false,
    },
    strict: null,
    cache: tool.cache,
  }
}

function adaptChoice(choice: ToolChoice, conversation: Conversation, aliases: ToolAliases): ToolChoice {
  const adapt = (name: string, namespace: string | null) =>
    aliases.name({ name, namespace, kind: kindOf(conversation.tools, name) })
  if (choice.type === 'named') {
    const { name, namespace } = adapt(choice.name, choice.namespace)
    return { ...choice, name, namespace }
  }
  if (choice.type === 'allowed')
    return { ...choice, names: choice.names.map((name) => adapt(name, null).name) }
  return choice
}

function kindOf(tools: readonly Tool[], name: string): ClientTool['kind'] {
  return tools.some((tool) => tool.type === 'custom' && tool.name === name) ? 'custom' : 'function'
}

function adaptTurn(turn: Turn, aliases: ToolAliases): Turn {
  return { ...turn, parts: turn.parts.map((part) => adaptPart(part, aliases)) }
}

function adaptPart(part: Part, aliases: ToolAliases): Part {
  if (part.type === 'tool-call') return adaptCall(part, aliases)
  if (part.type === 'tool-result') return adaptResult(part, aliases)
  return part
}

function adaptCall(call: ToolCallPart, aliases: ToolAliases): ToolCallPart {
  const adapted = aliases.name(call)
  const isWrapped = call.kind === 'custom' && adapted.kind === 'function'
  return {
    ...call,
    ...adapted,
    id: aliases.callId(call.id),
    input: isWrapped ? JSON.stringify({ input: call.input }) : call.input,
  }
}

function adaptResult(result: ToolResultPart, aliases: ToolAliases): ToolResultPart {
  const callId = aliases.callId(result.callId)
  const kind = result.kind === 'custom' && !aliases.rules.hasCustomTools ? 'function' : result.kind
  if (result.name === null) return { ...result, callId, kind }
  const { name } = aliases.name({ name: result.name, namespace: null, kind: result.kind })
  return { ...result, callId, kind, name }
}
