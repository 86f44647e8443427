import type { Conversation, Turn } from '../../../../conversation/conversation.ts'
import type { Part, ToolCallPart, ToolResultPart } from '../../../../conversation/part.ts'
import type { CustomTool, FunctionTool, Tool, ToolChoice } from '../../../../conversation/tool.ts'
import type { ToolRules } from '../../../../protocols/translation.ts'

export interface AdaptedConversation {
  readonly conversation: Conversation
  /** How the supplier calls the client's tools. */
  readonly names: ToolNames
}

/**
 * The conversation with tools, calls and ids a supplier of the given rules accepts: groups become part of the name,
 * free-text tools become functions with one text argument, names and ids out of bounds get a stable alias.
 */
export function adaptTools(conversation: Conversation, rules: ToolRules): AdaptedConversation {
  const { tools, toolChoice, turns } = conversation
  const names = new ToolNames(rules, tools)
  const adapted: Conversation = {
    ...conversation,
    tools: tools.map((tool) => adaptTool(tool, names)),
    toolChoice: toolChoice === null ? null : adaptChoice(toolChoice, tools, names),
    turns: adaptTurns(turns, names),
  }
  return { conversation: adapted, names }
}

function adaptTool(tool: Tool, names: ToolNames): Tool {
  if (tool.type !== 'function' && tool.type !== 'custom') return tool
  const { name, namespace, kind } = names.toSupplier({ ...tool, kind: tool.type })
  const adapted = tool.type === 'custom' && kind === 'function' ? functionFor(tool) : tool
  return { ...adapted, name, namespace }
}

/** A grammar cannot be enforced on a function's argument, so the description tells the model about it. */
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

function adaptChoice(choice: ToolChoice, tools: readonly Tool[], names: ToolNames): ToolChoice {
  switch (choice.type) {
    case 'named': {
      const { name, namespace } = names.toSupplier({ ...choice, kind: 'function' })
      return { ...choice, name, namespace }
    }
    case 'allowed':
      return { ...choice, names: allowedNames(choice.names, tools, names) }
    default:
      return choice
  }
}

/** A list of allowed tools does not say which group it means, so it means each that has such a tool. */
function allowedNames(allowed: readonly string[], tools: readonly Tool[], names: ToolNames): string[] {
  const groups = new Map<string, Set<string | null>>()
  for (const tool of tools) if ('name' in tool) addGroup(groups, tool)
  const adapted = new Set<string>()
  for (const name of new Set(allowed)) {
    for (const namespace of groups.get(name) ?? NO_GROUP) {
      adapted.add(names.toSupplier({ name, namespace, kind: 'function' }).name)
    }
  }
  return [...adapted]
}

const NO_GROUP: ReadonlySet<string | null> = new Set([null])

function addGroup(
  groups: Map<string, Set<string | null>>,
  { name, namespace }: FunctionTool | CustomTool,
): void {
  const known = groups.get(name)
  if (known === undefined) groups.set(name, new Set([namespace]))
  else known.add(namespace)
}

function adaptTurns(turns: readonly Turn[], names: ToolNames): Turn[] {
  /** What the supplier calls the tool of each call, by the client's id of the call. */
  const called = new Map<string, string>()
  const adaptPart = (part: Part): Part => {
    if (part.type === 'tool-result') return adaptResult(part, called, names)
    if (part.type !== 'tool-call') return part
    const adapted = adaptCall(part, names)
    called.set(part.id, adapted.name)
    return adapted
  }
  return turns.map((turn) => ({ ...turn, parts: turn.parts.map(adaptPart) }))
}

function adaptCall(call: ToolCallPart, names: ToolNames): ToolCallPart {
  const { name, namespace, kind } = names.toSupplier(call)
  const isWrapped = call.kind === 'custom' && kind === 'function'
  const input = isWrapped ? JSON.stringify({ input: call.input }) : call.input
  return { ...call, name, namespace, kind, input, id: names.callId(call.id) }
}

/** A result does not know the group of its tool; the call it answers does. */
function adaptResult(
  result: ToolResultPart,
  called: ReadonlyMap<string, string>,
  names: ToolNames,
): ToolResultPart {
  const unpaired = () =>
    result.name === null ? null : names.toSupplier({ ...result, name: result.name, namespace: null }).name
  return {
    ...result,
    callId: names.callId(result.callId),
    kind: names.kindFor(result.kind),
    name: called.get(result.callId) ?? unpaired(),
  }
}

/** A tool as one side knows it. */
export interface NamedTool {
  readonly name: string
  readonly namespace: string | null
  readonly kind: 'function' | 'custom'
}

/**
 * The names a tool has on either side: the client's own, and one its supplier accepts. Both directions are one to
 * one, and the same tools get the same names in every request, so that prompt caches keep working.
 */
export class ToolNames {
  readonly #rules: ToolRules
  /** Supplier names by client tool. */
  readonly #names = new Map<string, string>()
  /** Client tools by supplier tool. */
  readonly #clientTools = new Map<string, NamedTool>()

  constructor(rules: ToolRules, tools: readonly Tool[]) {
    this.#rules = rules
    const callable = tools.flatMap((tool) => {
      if (tool.type !== 'function' && tool.type !== 'custom') return []
      return [{ name: tool.name, namespace: tool.namespace, kind: tool.type }]
    })
    // Tools that keep their names are entered first: no alias may take one of them.
    const keepsName = (tool: NamedTool) => this.#wantedName(tool) === tool.name
    for (const tool of [...callable.filter(keepsName), ...callable]) this.toSupplier(tool)
  }

  toSupplier(tool: NamedTool): NamedTool {
    const name = this.#names.get(keyOf(tool)) ?? this.#enter(tool)
    return { name, namespace: this.#namespaceOf(tool), kind: this.kindFor(tool.kind) }
  }

  kindFor(kind: NamedTool['kind']): NamedTool['kind'] {
    return this.#rules.hasCustomTools ? kind : 'function'
  }

  /** undefined for an undefined tool, which models sometimes invent. */
  toClient(tool: NamedTool): NamedTool | undefined {
    return this.#clientTools.get(keyOf(tool))
  }

  callId(id: string): string {
    return this.#rules.callId.test(id) ? id : `call_${hash(id, 24)}`
  }

  #enter(tool: NamedTool): string {
    const namespace = this.#namespaceOf(tool)
    const wanted = this.#wantedName(tool)
    let name = this.#rules.name.test(wanted) ? wanted : aliasOf(wanted, wanted)
    for (let attempt = 0; this.#clientTools.has(keyOf({ name, namespace })); attempt += 1) {
      name = aliasOf(wanted, `${attempt} ${JSON.stringify([tool.namespace, tool.name])}`)
    }
    this.#names.set(keyOf(tool), name)
    const { name: ownName, namespace: ownNamespace, kind } = tool
    this.#clientTools.set(keyOf({ name, namespace }), { name: ownName, namespace: ownNamespace, kind })
    return name
  }

  #namespaceOf({ namespace }: NamedTool): string | null {
    return this.#rules.hasNamespaces ? namespace : null
  }

  #wantedName({ name, namespace }: NamedTool): string {
    return namespace === null || this.#rules.hasNamespaces ? name : `${namespace}__${name}`
  }
}

/** Unique for every tool: a group is written with its length, and no group without one. */
function keyOf({ name, namespace }: Pick<NamedTool, 'name' | 'namespace'>): string {
  return namespace === null ? `:${name}` : `${namespace.length}:${namespace}:${name}`
}

// Short enough for every format's limit.
const READABLE_CHARACTERS = 40

function aliasOf(name: string, identity: string): string {
  const readable = name.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, READABLE_CHARACTERS)
  const start = /^[A-Za-z_]/.test(readable) ? readable : `_${readable}`
  return `${start}_${hash(identity, 8)}`
}

function hash(text: string, characters: number): string {
  return Bun.CryptoHasher.hash('sha256', text, 'hex').slice(0, characters)
}
