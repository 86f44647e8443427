import type { JsonSchema } from '../../../conversation/json-schema.ts'
import type { FunctionTool, Tool, ToolChoice, WebSearchTool } from '../../../conversation/tool.ts'
import { asArray, asObject, asText, type JsonObject } from '../../../wire/json-values.ts'
import { FORMAT } from '../format.ts'
import {
  asKnownTool,
  type ChatFunction,
  type ChatRequest,
  type ChatTool,
  type ChatToolChoice,
} from '../schema.ts'
import { decodeCache } from './content.ts'

/** Decodes every tool of a request: `tools`, the deprecated `functions` and `web_search_options`. */
export function decodeTools(request: ChatRequest): Tool[] {
  const tools = (request.tools ?? []).map(decodeTool)
  const functions = (request.functions ?? []).map((definition) => decodeFunction(definition, definition))
  const search = request.web_search_options
  return [...tools, ...functions, ...(search ? [decodeWebSearch(search)] : [])]
}

function decodeTool(tool: ChatTool): Tool {
  const known = asKnownTool(tool)
  switch (known?.type) {
    case 'function':
      return decodeFunction(known.function, tool)
    case 'custom':
      return {
        type: 'custom',
        name: known.custom.name,
        namespace: null,
        description: known.custom.description ?? null,
        grammar: known.custom.format?.type === 'grammar' ? known.custom.format.grammar : null,
        cache: decodeCache(tool),
      }
    default:
      return { type: 'hosted', format: FORMAT, kind: tool.type, value: tool }
  }
}

function decodeFunction(definition: ChatFunction, marked: object): FunctionTool {
  return {
    type: 'function',
    name: definition.name,
    namespace: null,
    description: definition.description ?? null,
    schema: (definition.parameters as JsonSchema | null | undefined) ?? null,
    strict: definition.strict ?? null,
    cache: decodeCache(marked) ?? decodeCache(definition),
  }
}

function decodeWebSearch(options: NonNullable<ChatRequest['web_search_options']>): WebSearchTool {
  return {
    type: 'web-search',
    allowedDomains: null,
    blockedDomains: null,
    maxUses: null,
    contextSize: options.search_context_size ?? null,
    userLocation: (options.user_location?.approximate as JsonObject | null | undefined) ?? null,
    original: { format: FORMAT, value: options },
  }
}

export function decodeToolChoice({ tool_choice, function_call }: ChatRequest): ToolChoice | null {
  if (tool_choice) return decodeChoice(tool_choice)
  if (!function_call) return null
  return typeof function_call === 'string' ? { type: function_call } : named(function_call.name)
}

function decodeChoice(choice: ChatToolChoice): ToolChoice {
  if (typeof choice === 'string') return { type: choice }
  switch (choice.type) {
    case 'function':
      return named(choice.function.name)
    case 'custom':
      return named(choice.custom.name)
    case 'allowed_tools': {
      const { mode, tools } = choice.allowed_tools
      return { type: 'allowed', names: asArray(tools).flatMap(readName), isRequired: mode === 'required' }
    }
  }
}

function named(name: string): ToolChoice {
  return { type: 'named', name, namespace: null }
}

function readName(tool: unknown): string[] {
  const { function: called, custom, name } = asObject(tool) ?? {}
  const found = asText(asObject(called)?.name) ?? asText(asObject(custom)?.name) ?? asText(name)
  return found === null ? [] : [found]
}
