import type { FunctionTool, Tool, ToolChoice, WebSearchTool } from '../../../conversation/tool.ts'
import { GatewayError } from '../../../errors/gateway-error.ts'
import type { JsonObject } from '../../../wire/json-values.ts'
import { FORMAT } from '../parts.ts'
import { decodeSchema } from './decode-schema.ts'
import { encodeParameters } from './encode-schema.ts'
import type { WireFunctionDeclaration, WireTool, WireToolConfig } from './schema.ts'

const SEARCHES: ReadonlySet<string> = new Set(['googleSearch', 'googleSearchRetrieval'])

export function decodeTools(tools: readonly WireTool[] | null | undefined): Tool[] {
  return (tools ?? []).flatMap((tool) =>
    Object.entries(tool).flatMap(([name, value]): Tool[] => {
      if (value === null) return []
      if (name === 'functionDeclarations') return (tool.functionDeclarations ?? []).map(decodeFunction)
      const original = { format: FORMAT, value: { [name]: value } }
      if (SEARCHES.has(name)) return [{ ...ANY_SEARCH, original }]
      return [{ type: 'hosted', kind: name, ...original }]
    }),
  )
}

const ANY_SEARCH: WebSearchTool = {
  type: 'web-search',
  allowedDomains: null,
  blockedDomains: null,
  maxUses: null,
  contextSize: null,
  userLocation: null,
  original: null,
}

function decodeFunction(declaration: WireFunctionDeclaration): FunctionTool {
  const schema = declaration.parametersJsonSchema ?? declaration.parameters
  return {
    type: 'function',
    name: declaration.name,
    namespace: null,
    description: declaration.description || null,
    schema: schema ? decodeSchema(schema) : null,
    strict: null,
    cache: null,
  }
}

export interface EncodedTools {
  readonly tools: readonly JsonObject[]
  readonly hasFunctions: boolean
  readonly hasOwnTools: boolean
  readonly dropped: readonly string[]
}

/** `canMix`: whether the model accepts functions together with hosted tools. */
export function encodeTools(tools: readonly Tool[], canMix: boolean): EncodedTools {
  const functions = tools.flatMap((tool) => (tool.type === 'function' ? [encodeFunction(tool)] : []))
  const own = tools.flatMap((tool) => encodeOwnTool(tool))
  const keepsOwn = functions.length === 0 || canMix
  const encoded = [
    ...(functions.length > 0 ? [{ functionDeclarations: functions }] : []),
    ...(keepsOwn ? own : []),
  ]
  const dropped = tools.flatMap((tool) => (tool.type === 'web-search' ? droppedOf(tool, keepsOwn) : []))
  return {
    tools: encoded,
    hasFunctions: functions.length > 0,
    hasOwnTools: keepsOwn && own.length > 0,
    dropped,
  }
}

function encodeFunction({ name, description, schema }: FunctionTool): JsonObject {
  const parametersJsonSchema = encodeParameters(schema)
  return {
    name,
    ...(description !== null && { description }),
    ...(parametersJsonSchema !== null && { parametersJsonSchema }),
  }
}

function encodeOwnTool(tool: Tool): JsonObject[] {
  switch (tool.type) {
    case 'function':
      return []
    case 'web-search':
      return [tool.original?.format === FORMAT ? (tool.original.value as JsonObject) : { googleSearch: {} }]
    case 'hosted':
      if (tool.format === FORMAT) return [tool.value as JsonObject]
      throw refuseTool(tool.kind)
    case 'custom':
      throw refuseTool(tool.name)
  }
}

function refuseTool(kind: string): GatewayError {
  return new GatewayError(
    'unsupported_parameter',
    `The supplier of this model has no tool ${kind}. Remove it, or choose another model.`,
    {
      param: 'tools',
    },
  )
}

/** The search settings that this format does not support. */
function droppedOf(search: WebSearchTool, isKept: boolean): string[] {
  if (!isKept) return ['web_search']
  const { allowedDomains, blockedDomains, maxUses, contextSize, userLocation } = search
  const wishes = {
    allowed_domains: allowedDomains,
    blocked_domains: blockedDomains,
    max_uses: maxUses,
    search_context_size: contextSize,
    user_location: userLocation,
  }
  return Object.entries(wishes).flatMap(([name, wish]) => (wish === null ? [] : [`web_search.${name}`]))
}

export function decodeToolChoice(config: WireToolConfig | null | undefined): ToolChoice | null {
  const { mode, allowedFunctionNames } = config?.functionCallingConfig ?? {}
  const names = allowedFunctionNames ?? []
  const [only] = names
  switch ((mode ?? '').toUpperCase()) {
    case 'AUTO':
      return { type: 'auto' }
    case 'NONE':
      return { type: 'none' }
    case 'ANY':
      if (only === undefined) return { type: 'required' }
      return names.length === 1
        ? { type: 'named', name: only, namespace: null }
        : { type: 'allowed', names, isRequired: true }
    case 'VALIDATED':
      return names.length === 0 ? { type: 'auto' } : { type: 'allowed', names, isRequired: false }
    case '':
    case 'MODE_UNSPECIFIED':
      return null
    default:
      throw new GatewayError(
        'invalid_request',
        'toolConfig.functionCallingConfig.mode must be one of "AUTO", "ANY", "NONE", "VALIDATED".',
        { param: 'toolConfig.functionCallingConfig.mode' },
      )
  }
}

export function encodeToolChoice(choice: ToolChoice): JsonObject {
  switch (choice.type) {
    case 'auto':
      return { mode: 'AUTO' }
    case 'none':
      return { mode: 'NONE' }
    case 'required':
      return { mode: 'ANY' }
    case 'named':
      return { mode: 'ANY', allowedFunctionNames: [choice.name] }
    case 'allowed':
      return { mode: choice.isRequired ? 'ANY' : 'VALIDATED', allowedFunctionNames: choice.names }
  }
}
