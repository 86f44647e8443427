import type { Conversation } from '../../../conversation/conversation.ts'
import type { JsonSchema } from '../../../conversation/json-schema.ts'
import type { CustomTool, FunctionTool, Tool, ToolChoice, WebSearchTool } from '../../../conversation/tool.ts'
import { GatewayError } from '../../../errors/gateway-error.ts'
import type { JsonObject } from '../../../wire/json-values.ts'
import { FORMAT } from '../format.ts'

const NO_ARGUMENTS: JsonSchema = { type: 'object', properties: {} }

/** The tools, how to choose among them, and whether several may be called at once. */
export function encodeTools(conversation: Conversation, dropped: Set<string>): JsonObject {
  const { toolChoice, parallelTools } = conversation
  const offered = allowedTools(conversation)
  const search = offered.find((tool) => tool.type === 'web-search')
  if (search && (search.allowedDomains ?? search.blockedDomains ?? search.maxUses) !== null) {
    dropped.add('web_search')
  }
  const tools = offered.flatMap(encodeTool)
  const options = search === undefined ? {} : { web_search_options: encodeWebSearch(search) }
  // Suppliers refuse an empty list, and a tool choice without tools.
  if (tools.length === 0) return options
  return {
    tools,
    ...(toolChoice !== null && { tool_choice: encodeToolChoice(toolChoice, offered) }),
    ...(parallelTools !== null && { parallel_tool_calls: parallelTools }),
    ...options,
  }
}

// Few suppliers support a list of allowed tools, so only the allowed tools are sent.
function allowedTools({ tools, toolChoice }: Conversation): readonly Tool[] {
  if (toolChoice?.type !== 'allowed') return tools
  const names = new Set(toolChoice.names)
  return tools.filter((tool) => !('name' in tool) || names.has(tool.name))
}

function encodeTool(tool: Tool): JsonObject[] {
  switch (tool.type) {
    case 'function':
      return [encodeFunction(tool)]
    case 'custom':
      return [encodeCustom(tool)]
    case 'web-search':
      return []
    case 'hosted':
      if (tool.format === FORMAT) return [tool.value as JsonObject]
      throw new GatewayError(
        'unsupported_parameter',
        `The tool ${tool.kind} is not available for this model.`,
        { param: 'tools' },
      )
  }
}

function encodeToolChoice(choice: ToolChoice, tools: readonly Tool[]): unknown {
  switch (choice.type) {
    case 'auto':
    case 'none':
    case 'required':
      return choice.type
    case 'allowed':
      return choice.isRequired ? 'required' : 'auto'
    case 'named': {
      const { name } = choice
      const isCustom = tools.some((tool) => tool.type === 'custom' && tool.name === name)
      return isCustom ? { type: 'custom', custom: { name } } : { type: 'function', function: { name } }
    }
  }
}

function encodeFunction({ name, description, schema, strict }: FunctionTool): JsonObject {
  const definition = {
    name,
    ...(description !== null && { description }),
    parameters: schema ?? NO_ARGUMENTS,
    ...(strict !== null && { strict }),
  }
  return { type: 'function', function: definition }
}

function encodeCustom({ name, description, grammar }: CustomTool): JsonObject {
  const format = grammar === null ? {} : { format: { type: 'grammar', grammar } }
  return { type: 'custom', custom: { name, ...(description !== null && { description }), ...format } }
}

function encodeWebSearch(tool: WebSearchTool): unknown {
  if (tool.original?.format === FORMAT) return tool.original.value
  return {
    ...(tool.contextSize !== null && { search_context_size: tool.contextSize }),
    ...(tool.userLocation !== null && {
      user_location: { type: 'approximate', approximate: tool.userLocation },
    }),
  }
}
