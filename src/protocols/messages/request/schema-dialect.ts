import type { JsonSchema } from '../../../conversation/json-schema.ts'
import { GatewayError } from '../../../errors/gateway-error.ts'
import { asArray, asObject, asText, isObject, type JsonObject } from '../../../wire/json-values.ts'

const MAX_SCHEMA_DEPTH = 100

/** Keywords that are copied unchanged. */
const PLAIN: ReadonlySet<string> = new Set([
  'type',
  'title',
  'enum',
  'const',
  'default',
  '$ref',
  '$id',
  '$anchor',
])
const SUBSCHEMA_MAPS: ReadonlySet<string> = new Set(['properties', '$defs', 'definitions'])
const SUBSCHEMA_LISTS: ReadonlySet<string> = new Set(['anyOf', 'allOf', 'prefixItems'])
const FORMATS: ReadonlySet<unknown> = new Set([
  'date-time',
  'time',
  'date',
  'duration',
  'email',
  'hostname',
  'uri',
  'ipv4',
  'ipv6',
  'uuid',
])

/** Limits that move into the description when the grammar does not support them. */
const LIMITS: ReadonlySet<string> = new Set([
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'pattern',
  'minItems',
  'maxItems',
  'uniqueItems',
  'minProperties',
  'maxProperties',
  'format',
])

/**
 * A schema for structured output in this format: every object is closed, only supported keywords remain, and
 * unsupported limits move into the description. Idempotent.
 */
export function toSchemaDialect(schema: JsonSchema): JsonSchema {
  return fitNode(schema, 0)
}

function fitNode(node: JsonSchema, depth: number): JsonSchema {
  if (depth > MAX_SCHEMA_DEPTH) {
    throw new GatewayError('invalid_request', 'A schema is nested too deeply.')
  }
  const fitted: Record<string, unknown> = {}
  const limits: string[] = []
  for (const [name, value] of Object.entries(node)) {
    if (isLimit(name, value)) limits.push(`${name}: ${JSON.stringify(value)}`)
    else Object.assign(fitted, fitKeyword(name, value, depth))
  }
  const description = describe(asText(node.description), limits)
  return {
    ...fitted,
    ...(description !== null && { description }),
    ...(isObjectSchema(node) && { additionalProperties: false }),
  }
}

// The grammar supports some formats, and minItems of 0 and 1.
function isLimit(name: string, value: unknown): boolean {
  if (name === 'format') return !FORMATS.has(value)
  if (name === 'minItems') return value !== 0 && value !== 1
  return LIMITS.has(name)
}

function fitKeyword(name: string, value: unknown, depth: number): JsonObject {
  if (PLAIN.has(name) || name === 'format' || name === 'minItems' || name === 'required')
    return { [name]: value }
  if (name === 'items') return { items: fitValue(value, depth) }
  if (name === 'oneOf') return { anyOf: fitList(value, depth) }
  if (SUBSCHEMA_LISTS.has(name)) return { [name]: fitList(value, depth) }
  if (SUBSCHEMA_MAPS.has(name)) return { [name]: fitMembers(value, depth) }
  return {}
}

function fitValue(value: unknown, depth: number): unknown {
  const node = asObject(value)
  return node === null ? value : fitNode(node, depth + 1)
}

function fitList(value: unknown, depth: number): readonly unknown[] {
  return asArray(value).map((node) => fitValue(node, depth))
}

function fitMembers(value: unknown, depth: number): JsonObject {
  const members = Object.entries(asObject(value) ?? {})
  return Object.fromEntries(members.map(([name, node]) => [name, fitValue(node, depth)]))
}

function describe(description: string | null, limits: readonly string[]): string | null {
  if (limits.length === 0) return description
  const words = `(${limits.join(', ')})`
  return description === null ? words : `${description} ${words}`
}

function isObjectSchema({ type, properties }: JsonSchema): boolean {
  const isNamed = type === 'object' || (Array.isArray(type) && type.includes('object'))
  return isNamed || (type === undefined && asObject(properties) !== null)
}

/**
 * A schema whose root is an object without alternatives, as tool input requires. Alternatives at the root are merged:
 * the result has the properties of all, and requires only what every alternative requires.
 */
export function fitRootSchema(schema: JsonSchema): JsonSchema {
  const { anyOf, oneOf, allOf, ...root } = schema
  const either = [...asArray(anyOf), ...asArray(oneOf)].filter(isObject)
  const every = asArray(allOf).filter(isObject)
  if (either.length === 0 && every.length === 0) {
    return root.type === 'object' ? root : { ...root, type: 'object' }
  }
  const all = [root, ...every, ...either]
  const properties: Record<string, unknown> = {}
  for (const branch of all) Object.assign(properties, asObject(branch.properties))
  const demanded = [root, ...every].flatMap((branch) => asArray(branch.required))
  const required = [...new Set([...demanded, ...demandedByAll(either)])]
  return { ...root, type: 'object', properties, ...(required.length > 0 && { required }) }
}

function demandedByAll([first, ...others]: readonly JsonObject[]): readonly unknown[] {
  if (first === undefined) return []
  const demanded = others.map(({ required }) => new Set(asArray(required)))
  return asArray(first.required).filter((name) => demanded.every((names) => names.has(name)))
}
