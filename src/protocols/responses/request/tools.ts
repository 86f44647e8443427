import type { CustomTool, FunctionTool, Tool, ToolChoice, WebSearchTool } from '../../../conversation/tool.ts'
import { GatewayError } from '../../../errors/gateway-error.ts'
import { asArray, asObject, asText, type JsonObject } from '../../../wire/json-values.ts'
import { FORMAT } from '../format.ts'

const WEB_SEARCH = /^web_search(_preview)?(_\d{4}_\d{2}_\d{2})?$/

export function decodeTools(tools: unknown, namespace: string | null = null): Tool[] {
  return asArray(tools).flatMap((tool) => decodeTool(asObject(tool) ?? {}, namespace))
}

function decodeTool(tool: JsonObject, namespace: string | null): Tool[] {
  const kind = asText(tool.type) ?? 'tool'
  if (kind === 'function') return [decodeFunction(tool, namespace)]
  if (kind === 'custom') return [decodeCustom(tool, namespace)]
  // This format has no nested namespaces. Calls use the outer one.
  if (kind === 'namespace') return decodeTools(tool.tools, namespace ?? asText(tool.name))
  if (WEB_SEARCH.test(kind)) return [decodeWebSearch(tool)]
  return [{ type: 'hosted', format: FORMAT, kind, value: tool }]
}

function decodeFunction(tool: JsonObject, namespace: string | null): FunctionTool {
  return {
    type: 'function',
    name: asText(tool.name) ?? '',
    namespace,
    description: asText(tool.description),
    schema: asObject(tool.parameters),
    strict: typeof tool.strict === 'boolean' ? tool.strict : null,
    cache: null,
  }
}

function decodeCustom(tool: JsonObject, namespace: string | null): CustomTool {
  const { syntax, definition } = asObject(tool.format) ?? {}
  const isGrammar = typeof syntax === 'string' && typeof definition === 'string'
  return {
    type: 'custom',
    name: asText(tool.name) ?? '',
    namespace,
    description: asText(tool.description),
    grammar: isGrammar ? { syntax, definition } : null,
    cache: null,
  }
}

function decodeWebSearch(tool: JsonObject): WebSearchTool {
  const filters = asObject(tool.filters)
  const location = asObject(tool.user_location)
  const { type: _type, ...place } = location ?? {}
  const size = tool.search_context_size
  return {
    type: 'web-search',
    allowedDomains: readDomains(filters?.allowed_domains),
    blockedDomains: readDomains(filters?.blocked_domains),
    maxUses: null,
    contextSize: size === 'low' || size === 'medium' || size === 'high' ? size : null,
    userLocation: location === null ? null : place,
    original: { format: FORMAT, value: tool },
  }
}

function readDomains(value: unknown): readonly string[] | null {
  return Array.isArray(value) ? value.filter((domain) => typeof domain === 'string') : null
}

/** Returns null when the choice is absent or names a tool that the supplier runs. */
export function decodeToolChoice(choice: unknown, tools: readonly Tool[]): ToolChoice | null {
  if (choice === 'auto' || choice === 'none' || choice === 'required') return { type: choice }
  const { type, name, namespace, mode, tools: allowed } = asObject(choice) ?? {}
  if (type === 'function' || type === 'custom') {
    const called = asText(name) ?? ''
    return { type: 'named', name: called, namespace: asText(namespace) ?? namespaceOf(called, tools) }
  }
  if (type !== 'allowed_tools') return null
  const names = asArray(allowed).flatMap((tool) => asText(asObject(tool)?.name) ?? [])
  return { type: 'allowed', names, isRequired: mode === 'required' }
}

function namespaceOf(name: string, tools: readonly Tool[]): string | null {
  const tool = tools.find((each) => isCallable(each) && each.name === name)
  return tool !== undefined && isCallable(tool) ? tool.namespace : null
}

function isCallable(tool: Tool): tool is FunctionTool | CustomTool {
  return tool.type === 'function' || tool.type === 'custom'
}

/** Encodes tools for a supplier. Tools of one namespace are grouped at the position of the first. */
export function encodeTools(tools: readonly Tool[], dropped: Set<string>): JsonObject[] {
  const encoded: JsonObject[] = []
  const groups = new Map<string, JsonObject[]>()
  for (const tool of tools) {
    const namespace = isCallable(tool) ? tool.namespace : null
    const group = namespace === null ? encoded : groups.get(namespace)
    if (group !== undefined) group.push(encodeTool(tool, dropped))
    else if (namespace !== null) encoded.push(openGroup(namespace, encodeTool(tool, dropped), groups))
  }
  return encoded
}

function openGroup(name: string, first: JsonObject, groups: Map<string, JsonObject[]>): JsonObject {
  const tools = [first]
  groups.set(name, tools)
  // The format requires a description, and the conversation has none for a namespace.
  return { type: 'namespace', name, description: `The tools of ${name}.`, tools }
}

function encodeTool(tool: Tool, dropped: Set<string>): JsonObject {
  switch (tool.type) {
    case 'function':
      return encodeFunction(tool)
    case 'custom':
      return encodeCustom(tool)
    case 'web-search':
      return encodeWebSearch(tool, dropped)
    case 'hosted':
      if (tool.format === FORMAT) return asObject(tool.value) ?? {}
      throw new GatewayError(
        'unsupported_parameter',
        `The supplier of this model has no tool "${tool.kind}".`,
        { param: 'tools' },
      )
  }
}

function encodeFunction(tool: FunctionTool): JsonObject {
  return {
    type: 'function',
    name: tool.name,
    ...(tool.description !== null && { description: tool.description }),
    parameters: tool.schema ?? { type: 'object', properties: {} },
    // If omitted, some models assume true and refuse schemas that others accept.
    strict: tool.strict ?? false,
  }
}

function encodeCustom(tool: CustomTool): JsonObject {
  return {
    type: 'custom',
    name: tool.name,
    ...(tool.description !== null && { description: tool.description }),
    ...(tool.grammar !== null && { format: { type: 'grammar', ...tool.grammar } }),
  }
}

function encodeWebSearch(tool: WebSearchTool, dropped: Set<string>): JsonObject {
  const original = tool.original?.format === FORMAT ? asObject(tool.original.value) : null
  if (original !== null) return original
  if (tool.blockedDomains !== null) dropped.add('blocked_domains')
  return {
    type: 'web_search',
    ...(tool.allowedDomains !== null && { filters: { allowed_domains: tool.allowedDomains } }),
    ...(tool.contextSize !== null && { search_context_size: tool.contextSize }),
    ...(tool.userLocation !== null && { user_location: { type: 'approximate', ...tool.userLocation } }),
  }
}

export function encodeToolChoice(choice: ToolChoice, tools: readonly Tool[]): JsonObject | string {
  const custom = new Set(tools.flatMap((tool) => (tool.type === 'custom' ? [tool.name] : [])))
  const kindOf = (name: string) => (custom.has(name) ? 'custom' : 'function')
  switch (choice.type) {
    case 'named':
      return { type: kindOf(choice.name), name: choice.name }
    case 'allowed':
      return {
        type: 'allowed_tools',
        mode: choice.isRequired ? 'required' : 'auto',
        tools: choice.names.map((name) => ({ type: kindOf(name), name })),
      }
    case 'auto':
    case 'none':
    case 'required':
      return choice.type
  }
}
