import { asArray, asObject, type JsonObject } from '../../../wire/json-values.ts'
import { refuse, toCamelCase } from './schema.ts'

/**
 * The dialects a caller can describe data in. The first two know their own keywords and refuse all others; for the
 * arguments of a function, the service takes every keyword of JSON Schema and ignores those it does not use.
 */
type Dialect = 'open-api' | 'json-schema' | 'any-json-schema'

const SHARED_KEYWORDS = [
  'type',
  'format',
  'title',
  'description',
  'enum',
  'items',
  'minItems',
  'maxItems',
  'minimum',
  'maximum',
  'anyOf',
  'properties',
  'required',
  'propertyOrdering',
]

const KEYWORDS: Readonly<Record<Exclude<Dialect, 'any-json-schema'>, ReadonlySet<string>>> = {
  'open-api': new Set([
    ...SHARED_KEYWORDS,
    'nullable',
    'minProperties',
    'maxProperties',
    'minLength',
    'maxLength',
    'pattern',
    'default',
    'example',
  ]),
  'json-schema': new Set([
    ...SHARED_KEYWORDS,
    '$id',
    '$defs',
    '$ref',
    '$anchor',
    'prefixItems',
    'oneOf',
    'additionalProperties',
  ]),
}

/** Checks a schema and gives it back as plain JSON Schema. */
export function readSchema(schema: unknown, dialect: Dialect, place: string): unknown {
  const root = asObject(schema)
  if (root === null || dialect === 'open-api') return readNode(schema, dialect, place)
  // Google's own command-line client names the dialect at the root; anywhere else the name is unknown.
  const { $schema: _, ...rest } = root
  return readNode(rest, dialect, place)
}

function readNode(schema: unknown, dialect: Dialect, place: string): unknown {
  const given = asObject(schema)
  if (given === null) return schema
  const node = Object.fromEntries(
    Object.entries(given).map(([name, value]) => [nameIn(name, dialect), value]),
  )
  checkNode(node, dialect, place)
  const read = (value: unknown, name: string) => readNode(value, dialect, `${place}.${name}`)
  return {
    ...node,
    ...(node.type === undefined ? {} : { type: readType(node) }),
    ...('items' in node ? { items: read(node.items, 'items') } : {}),
    ...('additionalProperties' in node
      ? { additionalProperties: read(node.additionalProperties, 'additional_properties') }
      : {}),
    ...readMembers(node, 'properties', read),
    ...readMembers(node, '$defs', read),
    ...readList(node, 'anyOf', read),
    ...readList(node, 'oneOf', read),
    ...readList(node, 'prefixItems', read),
  }
}

type Read = (value: unknown, name: string) => unknown

function readMembers(node: JsonObject, keyword: string, read: Read): object {
  const members = asObject(node[keyword])
  if (members === null) return {}
  const entries = Object.entries(members).map(([name, value]) => [name, read(value, `${keyword}[${name}]`)])
  return { [keyword]: Object.fromEntries(entries) }
}

function readList(node: JsonObject, keyword: string, read: Read): object {
  if (node[keyword] === undefined) return {}
  return { [keyword]: asArray(node[keyword]).map((value, index) => read(value, `${keyword}[${index}]`)) }
}

function nameIn(name: string, dialect: Dialect): string {
  return dialect === 'open-api' ? toCamelCase(name) : name
}

function checkNode(node: JsonObject, dialect: Dialect, place: string): void {
  if (dialect === 'any-json-schema') return
  const unknown = Object.keys(node).find((keyword) => !KEYWORDS[dialect].has(keyword))
  if (unknown !== undefined) {
    const message = `Invalid JSON payload received. Unknown name "${unknown}" at '${place}': Cannot find field.`
    throw refuse(message, place)
  }
  const beside = '$ref' in node ? Object.keys(node).find((keyword) => !keyword.startsWith('$')) : undefined
  if (beside !== undefined)
    throw refuse(`${place}: a schema with "$ref" may not set "${beside}" beside it`, place)
  if (dialect === 'open-api') checkOpenApiNode(node, place)
}

function checkOpenApiNode(node: JsonObject, place: string): void {
  if (Array.isArray(node.type))
    throw refuse(`Proto field is not repeating, cannot start list at '${place}.type'.`, `${place}.type`)
  if (asArray(node.enum).some((value) => typeof value !== 'string'))
    throw refuse(`Invalid value at '${place}.enum' (TYPE_STRING)`, `${place}.enum`)
  if (String(node.type).toUpperCase() === 'ARRAY' && node.items === undefined)
    throw refuse(`* ${place}.items: missing field.`, `${place}.items`)
}

/** Types are upper-case words here, and one that may be null says so beside itself. */
function readType({ type, nullable }: JsonObject): unknown {
  const names = (Array.isArray(type) ? type : [type]).map((name) => String(name).toLowerCase())
  if (nullable === true) return [...names, 'null']
  return Array.isArray(type) ? names : names[0]
}
