import type { JsonSchema } from '../../../conversation/json-schema.ts'
import { asArray, asObject, isObject, type JsonObject } from '../../../wire/json-values.ts'
import { SchemaGuard } from './encode-schema.ts'

/** Keywords whose value is one schema, a list of schemas, or schemas by name. */
const ONE_SCHEMA: ReadonlySet<string> = new Set([
  'items',
  'additionalProperties',
  'not',
  'contains',
  'propertyNames',
  'if',
  'then',
  'else',
])
const SCHEMA_LIST: ReadonlySet<string> = new Set(['anyOf', 'oneOf', 'allOf', 'prefixItems'])
const SCHEMA_MAP: ReadonlySet<string> = new Set(['properties', '$defs', 'definitions', 'patternProperties'])

/** Limits that clients may send as strings, since the format's integers have 64 bits. */
const LIMITS = [
  'minItems',
  'maxItems',
  'minLength',
  'maxLength',
  'minProperties',
  'maxProperties',
  'minimum',
  'maximum',
]
const NUMBERS: ReadonlySet<string> = new Set(LIMITS)
const UNKNOWN_ELSEWHERE: ReadonlySet<string> = new Set(['propertyOrdering', 'example', 'nullable'])

const OTHER_SPELLINGS: ReadonlyMap<string, string> = new Map(
  [...LIMITS, ...ONE_SCHEMA, ...SCHEMA_LIST, ...UNKNOWN_ELSEWHERE].map((name) => [
    name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    name,
  ]),
)

/**
 * Turns a schema of this format into plain JSON Schema: lower-case type names, `nullable` as a type, limits as numbers.
 * Applied to both kinds of schema field, because clients mix them up.
 */
export function decodeSchema(schema: JsonObject): JsonSchema {
  return decodeNode(schema, new SchemaGuard())
}

function decodeNode(node: JsonObject, guard: SchemaGuard): JsonObject {
  return guard.within(() => {
    const decoded: Record<string, unknown> = {}
    for (const [sent, value] of Object.entries(node)) {
      const name = OTHER_SPELLINGS.get(sent) ?? sent
      const member = UNKNOWN_ELSEWHERE.has(name) ? undefined : decodeKeyword(name, value, guard)
      if (member !== undefined) decoded[name] = member
    }
    return node.nullable === true ? withNull(decoded) : decoded
  })
}

/** undefined when the keyword has no meaning in JSON Schema. */
function decodeKeyword(name: string, value: unknown, guard: SchemaGuard): unknown {
  if (name === 'type') return decodeType(value)
  if (name === 'format') return value === 'enum' ? undefined : value
  if (NUMBERS.has(name)) return decodeLimit(value)
  if (SCHEMA_MAP.has(name)) return decodeMap(value, guard)
  if (SCHEMA_LIST.has(name) || (name === 'items' && Array.isArray(value)))
    return asArray(value).map((item) => (isObject(item) ? decodeNode(item, guard) : item))
  return ONE_SCHEMA.has(name) && isObject(value) ? decodeNode(value, guard) : value
}

function decodeMap(value: unknown, guard: SchemaGuard): unknown {
  const members = Object.entries(asObject(value) ?? {})
  return Object.fromEntries(
    members.map(([name, member]) => [name, isObject(member) ? decodeNode(member, guard) : member]),
  )
}

function decodeType(type: unknown): unknown {
  if (Array.isArray(type)) return type.map((each) => (typeof each === 'string' ? each.toLowerCase() : each))
  if (typeof type !== 'string') return type
  return type === 'TYPE_UNSPECIFIED' ? undefined : type.toLowerCase()
}

function decodeLimit(value: unknown): unknown {
  if (typeof value !== 'string' || value.trim() === '') return value
  const number = Number(value)
  return Number.isFinite(number) ? number : undefined
}

function withNull(node: Record<string, unknown>): JsonObject {
  const { type, anyOf } = node
  if (Array.isArray(node.enum) && !node.enum.includes(null)) node.enum = [...node.enum, null]
  if (typeof type === 'string' && type !== 'null') node.type = [type, 'null']
  else if (Array.isArray(type) && !type.includes('null')) node.type = [...type, 'null']
  else if (Array.isArray(anyOf)) node.anyOf = [...anyOf, { type: 'null' }]
  return node
}
