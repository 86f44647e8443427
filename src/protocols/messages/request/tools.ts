import type { JsonSchema } from '../../../conversation/json-schema.ts'
import type { FunctionTool, Tool, WebSearchTool } from '../../../conversation/tool.ts'
import { GatewayError } from '../../../errors/gateway-error.ts'
import { asArray, asObject, asText, isObject, type JsonObject } from '../../../wire/json-values.ts'
import { FORMAT } from '../format.ts'
import { decodeCache, encodeCache } from './cache.ts'
import { type AnyTool, asClientTool, type ClientTool } from './schema.ts'
import { fitRootSchema, toSchemaDialect } from './schema-dialect.ts'

const NEUTRAL_FIELDS: ReadonlySet<string> = new Set([
  'name',
  'description',
  'input_schema',
  'strict',
  'cache_control',
])

export function decodeTool(tool: AnyTool): Tool {
  const own = asClientTool(tool)
  if (own !== null) return decodeClientTool(own)
  const type = tool.type ?? ''
  const typed = findTypedTool(type)
  if (typed !== null && tool.name) return decodeTypedTool(tool, typed.description, typed.schema)
  if (type.startsWith('web_search_')) return decodeWebSearch(tool)
  return { type: 'hosted', format: FORMAT, kind: type, value: tool }
}

/** Tool fields that the neutral model lacks, by tool name. They are restored for suppliers of this format. */
export function decodeToolExtras(tools: readonly AnyTool[]): Readonly<Record<string, JsonObject>> {
  const extras = tools.flatMap((tool) => {
    if (!tool.name || decodeTool(tool).type !== 'function') return []
    const rest = Object.entries(tool).filter(([name]) => !NEUTRAL_FIELDS.has(name))
    return rest.length === 0 ? [] : [[tool.name, Object.fromEntries(rest)] as const]
  })
  return Object.fromEntries(extras)
}

function decodeClientTool(tool: ClientTool): FunctionTool {
  return {
    type: 'function',
    name: tool.name,
    namespace: null,
    description: tool.description ?? null,
    schema: readSchema(tool.input_schema as JsonSchema),
    strict: tool.strict ?? null,
    cache: decodeCache(tool.cache_control),
  }
}

function readSchema(schema: JsonSchema): JsonSchema | null {
  return takesNothing(schema) ? null : schema
}

function takesNothing(schema: JsonSchema): boolean {
  return Object.entries(schema).every(
    ([name, value]) => name === 'type' || (name === 'properties' && isObject(value) && isEmpty(value)),
  )
}

function isEmpty(object: JsonObject): boolean {
  return Object.keys(object).length === 0
}

function decodeTypedTool(tool: AnyTool, description: string, schema: JsonSchema): FunctionTool {
  const { cache_control } = tool as JsonObject
  return {
    type: 'function',
    name: tool.name ?? '',
    namespace: null,
    description,
    schema,
    strict: null,
    cache: decodeCache(cache_control),
  }
}

function decodeWebSearch(tool: JsonObject): WebSearchTool {
  return {
    type: 'web-search',
    allowedDomains: readTexts(tool.allowed_domains),
    blockedDomains: readTexts(tool.blocked_domains),
    maxUses: typeof tool.max_uses === 'number' ? tool.max_uses : null,
    contextSize: null,
    userLocation: asObject(tool.user_location),
    original: { format: FORMAT, value: tool },
  }
}

function readTexts(value: unknown): readonly string[] | null {
  return Array.isArray(value) ? value.flatMap((item) => asText(item) ?? []) : null
}

interface ToolEncoding {
  /** Whether the model supports strict schemas. */
  readonly isStrictPossible: boolean
  /** The client's extra fields by tool name. */
  readonly extras: JsonObject
  readonly dropped: Set<string>
}

export function encodeTool(tool: Tool, encoding: ToolEncoding): JsonObject {
  switch (tool.type) {
    case 'function':
      return encodeFunction(tool, encoding)
    case 'custom': {
      const schema = { type: 'object', properties: { input: { type: 'string' } }, required: ['input'] }
      return encodeFunction({ ...tool, type: 'function', schema, strict: null }, encoding)
    }
    case 'web-search':
      return encodeWebSearch(tool, encoding)
    case 'hosted':
      return encodeHosted(tool)
  }
}

function encodeFunction(tool: FunctionTool, { isStrictPossible, extras, dropped }: ToolEncoding): JsonObject {
  const own = asObject(extras[tool.name])
  const cache = encodeCache(tool.cache)
  // Vendor-defined tools have no description and no schema.
  if (own !== null && findTypedTool(asText(own.type) ?? '') !== null)
    return { name: tool.name, ...own, ...cache }
  const isStrict = tool.strict === true && isStrictPossible
  if (tool.strict === true && !isStrictPossible) dropped.add('strict')
  return {
    ...own,
    name: tool.name,
    ...(tool.description !== null && { description: tool.description }),
    input_schema: encodeSchema(tool.schema, isStrict),
    ...(isStrict && { strict: true }),
    ...cache,
  }
}

function encodeSchema(schema: JsonSchema | null, isStrict: boolean): JsonSchema {
  if (schema === null) return { type: 'object' }
  return isStrict ? toSchemaDialect(fitRootSchema(schema)) : fitRootSchema(schema)
}

function encodeWebSearch(tool: WebSearchTool, { dropped }: ToolEncoding): JsonObject {
  const { original, allowedDomains, blockedDomains, maxUses, contextSize, userLocation } = tool
  if (original?.format === FORMAT && isObject(original.value)) return original.value
  if (contextSize !== null) dropped.add('search_context_size')
  const domains =
    allowedDomains !== null ? { allowed_domains: allowedDomains } : { blocked_domains: blockedDomains }
  return {
    type: 'web_search_20250305',
    name: 'web_search',
    ...(maxUses !== null && { max_uses: maxUses }),
    ...((allowedDomains ?? blockedDomains) !== null && domains),
    ...(userLocation !== null && { user_location: encodeLocation(userLocation) }),
  }
}

// Some formats nest the place in `approximate`.
function encodeLocation(location: JsonObject): JsonObject {
  const place = asObject(location.approximate) ?? location
  const fields = ['city', 'region', 'country', 'timezone'].filter((name) => asText(place[name]) !== null)
  return { type: 'approximate', ...Object.fromEntries(fields.map((name) => [name, place[name]])) }
}

function encodeHosted({ format, kind, value }: { format: string; kind: string; value: unknown }): JsonObject {
  if (format === FORMAT && isObject(value)) return value
  throw new GatewayError(
    'unsupported_parameter',
    `Tools of type "${kind}" are not available with this model.`,
    {
      param: 'tools',
    },
  )
}

/** Minimal definitions for tools that occur only in the history: suppliers require one for each call. */
export function recreateTools(messages: readonly JsonObject[]): JsonObject[] {
  const names = messages.flatMap(({ content }) =>
    asArray(content).flatMap((item) => {
      const block = asObject(item)
      return block?.type === 'tool_use' ? (asText(block.name) ?? []) : []
    }),
  )
  return [...new Set(names)].map((name) => ({ name, input_schema: { type: 'object' } }))
}

/** A tool that the vendor defines and the client runs. With this schema, models of other vendors can call it too. */
interface TypedTool {
  readonly description: string
  readonly schema: JsonSchema
}

const text = { type: 'string' }
const integer = { type: 'integer' }
const command = (...names: string[]) => ({ type: 'string', enum: names })
const editing = {
  path: text,
  file_text: text,
  old_str: text,
  new_str: text,
  insert_line: integer,
  insert_text: text,
  view_range: { type: 'array', items: integer },
}

const BASH: TypedTool = {
  description: 'Runs a command in a persistent bash session and gives its output.',
  schema: {
    type: 'object',
    properties: { command: text, restart: { type: 'boolean', description: 'Starts a new session instead.' } },
  },
}

const TEXT_EDITOR: TypedTool = {
  description: 'Views, creates and edits text files.',
  schema: {
    type: 'object',
    properties: { command: command('view', 'create', 'str_replace', 'insert'), ...editing },
    required: ['command', 'path'],
  },
}

const MEMORY: TypedTool = {
  description: 'Reads and keeps notes in files under /memories.',
  schema: {
    type: 'object',
    properties: {
      command: command('view', 'create', 'str_replace', 'insert', 'delete', 'rename'),
      ...editing,
      old_path: text,
      new_path: text,
    },
    required: ['command'],
  },
}

const FAMILIES: readonly (readonly [RegExp, TypedTool])[] = [
  [/^bash_\d+$/, BASH],
  [/^text_editor_\d+$/, TEXT_EDITOR],
  [/^memory_\d+$/, MEMORY],
]

/** null for tools that the vendor runs, or whose fields depend on more than the type. */
function findTypedTool(type: string): TypedTool | null {
  return FAMILIES.find(([pattern]) => pattern.test(type))?.[1] ?? null
}
