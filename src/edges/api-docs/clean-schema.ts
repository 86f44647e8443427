/** A JSON Schema as plain JSON. */
export type JsonSchema = Readonly<Record<string, unknown>>

/**
 * Simplifies a schema of the validator for readers. It allows exactly the same values: `anyOf` with null is merged into
 * one schema, and a list of strings gets `type: string`. `takes`, our text for error messages, is left out because it
 * repeats the schema.
 */
export function cleanSchema(schema: object): JsonSchema {
  // JSON leaves out the validator's internal members, which are not enumerable.
  return tidy(JSON.parse(JSON.stringify(schema)))
}

const LISTS_OF_SCHEMAS: ReadonlySet<string> = new Set(['anyOf', 'oneOf', 'allOf'])
const MAPS_OF_SCHEMAS: ReadonlySet<string> = new Set(['properties', 'patternProperties'])
const SCHEMAS: ReadonlySet<string> = new Set(['items', 'additionalProperties', 'not'])

function tidy(schema: JsonSchema): JsonSchema {
  const members = Object.entries(schema).filter(
    ([name, value]) => name !== 'takes' && !isEmptyMember(name, value),
  )
  return mergeNull(Object.fromEntries(members.map(([name, value]) => [name, tidyMember(name, value)])))
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

/** Empty lists and maps add nothing. */
function isEmptyMember(name: string, value: unknown): boolean {
  if (name === 'required') return (value as unknown[]).length === 0
  return name === 'properties' && Object.keys(value as object).length === 0
}

function mergeNull(schema: JsonSchema): JsonSchema {
  if (isListOfStrings(schema.enum) && schema.type === undefined) return { type: 'string', ...schema }
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

function isListOfStrings(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}

function isNull(value: unknown): boolean {
  return isSchema(value) && value.type === 'null' && Object.keys(value).length === 1
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
