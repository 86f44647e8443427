/** A JSON Schema as it stands in the document: plain JSON, nothing else. */
export type JsonSchema = Readonly<Record<string, unknown>>

/**
 * A schema of the validator as plain JSON, written the way people expect to read it. It allows exactly the same
 * values: only `anyOf` with null is drawn together, and a list of words says that it is one of strings. What the
 * validator's own words for people (`takes`) say is left out: it repeats the schema.
 */
export function cleanSchema(schema: object): JsonSchema {
  // What the validator keeps for itself is not enumerable, so writing it as JSON leaves it behind.
  return tidy(JSON.parse(JSON.stringify(schema)))
}

const LISTS_OF_SCHEMAS: ReadonlySet<string> = new Set(['anyOf', 'oneOf', 'allOf'])
const MAPS_OF_SCHEMAS: ReadonlySet<string> = new Set(['properties', 'patternProperties'])
const SCHEMAS: ReadonlySet<string> = new Set(['items', 'additionalProperties', 'not'])

function tidy(schema: JsonSchema): JsonSchema {
  const members = Object.entries(schema).filter(
    ([name, value]) => name !== 'takes' && !isEmptyMember(name, value),
  )
  return drawTogether(Object.fromEntries(members.map(([name, value]) => [name, tidyMember(name, value)])))
}

function tidyMember(name: string, value: unknown): unknown {
  if (LISTS_OF_SCHEMAS.has(name)) return (value as JsonSchema[]).map(tidy)
  if (MAPS_OF_SCHEMAS.has(name)) {
    return Object.fromEntries(
      Object.entries(value as Record<string, JsonSchema>).map(([key, inner]) => [key, tidy(inner)]),
    )
  }
  return SCHEMAS.has(name) && isSchema(value) ? tidy(value) : value
}

/** An empty list or map says nothing. */
function isEmptyMember(name: string, value: unknown): boolean {
  if (name === 'required') return (value as unknown[]).length === 0
  return name === 'properties' && Object.keys(value as object).length === 0
}

function drawTogether(schema: JsonSchema): JsonSchema {
  if (isListOfWords(schema.enum) && schema.type === undefined) return { type: 'string', ...schema }
  const { anyOf, ...rest } = schema
  if (!Array.isArray(anyOf) || anyOf.length !== 2 || !isNull(anyOf[1])) return schema
  return { ...orNull(anyOf[0]), ...rest }
}

function orNull(schema: JsonSchema): JsonSchema {
  if (Array.isArray(schema.anyOf)) return { ...schema, anyOf: [...schema.anyOf, { type: 'null' }] }
  if (typeof schema.type !== 'string' || 'const' in schema) return { anyOf: [schema, { type: 'null' }] }
  const type = [schema.type, 'null']
  return Array.isArray(schema.enum) ? { ...schema, type, enum: [...schema.enum, null] } : { ...schema, type }
}

function isListOfWords(value: unknown): boolean {
  return Array.isArray(value) && value.every((word) => typeof word === 'string')
}

function isNull(value: unknown): boolean {
  return isSchema(value) && value.type === 'null' && Object.keys(value).length === 1
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
