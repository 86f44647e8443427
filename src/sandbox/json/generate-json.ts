import { generateNumber } from './generate-number.ts'
import { generateString } from './generate-string.ts'
import { asCount, asSchema, asStrings, type Place, type Schema } from './schema.ts'

// Beyond this depth optional properties are left out, so that a schema that refers to itself comes to an end.
const DEPTH_WITHOUT_OPTIONAL = 6
const DEEPEST = 32
const MOST_VALUES = 5000

/** A plausible value that fits the schema; the same schema and topic always give the same value. */
export function generateJson(schema: unknown, topic: string): unknown {
  const root = asSchema(schema)
  return generate(root, { root, name: '', topic, depth: 0, index: 0, budget: { valuesLeft: MOST_VALUES } })
}

function generate(given: Schema, place: Place): unknown {
  place.budget.valuesLeft -= 1
  if (place.depth > DEEPEST || place.budget.valuesLeft < 0) return null
  const schema = resolve(given, place)
  if ('const' in schema) return schema.const
  const listed = firstListed(schema, place)
  if (listed !== undefined) return listed
  const branch = chooseBranch(schema, place)
  if (branch !== null) return generate(mergeSchemas([withoutBranches(schema), branch]), deeper(place))
  return generateTyped(schema, place)
}

function generateTyped(schema: Schema, place: Place): unknown {
  switch (typeOf(schema)) {
    case 'object':
      return generateObject(schema, place)
    case 'array':
      return generateArray(schema, place)
    case 'integer':
    case 'number':
      return generateNumber(schema, place.index)
    case 'boolean':
      return true
    case 'null':
      return null
    default:
      return generateString(schema, place)
  }
}

function generateObject(schema: Schema, place: Place): Record<string, unknown> {
  const properties = asSchema(schema.properties)
  const required = asStrings(schema.required)
  const names =
    place.depth > DEPTH_WITHOUT_OPTIONAL ? required : [...new Set([...Object.keys(properties), ...required])]
  const entries = names.map(
    (name) => [name, generate(asSchema(properties[name]), { ...deeper(place), name })] as const,
  )
  return Object.fromEntries([...entries, ...extraEntries(schema, { ...place, index: entries.length })])
}

// Only as many made-up properties as `minProperties` still asks for.
function extraEntries(schema: Schema, place: Place): (readonly [string, unknown])[] {
  const missing = Math.max(0, asCount(schema.minProperties, 0) - place.index)
  return Array.from({ length: missing }, (_, index) => {
    const name = `property${index + 1}`
    return [name, generate(asSchema(schema.additionalProperties), { ...deeper(place), name, index })] as const
  })
}

function generateArray(schema: Schema, place: Place): unknown[] {
  const fixed = Array.isArray(schema.prefixItems) ? schema.prefixItems : []
  const fewest = asCount(schema.minItems, 0)
  const wanted = place.depth > DEPTH_WITHOUT_OPTIONAL ? fewest : Math.max(fewest, fixed.length, 1)
  const length = Math.min(wanted, asCount(schema.maxItems, wanted))
  return Array.from({ length }, (_, index) =>
    generate(asSchema(fixed[index] ?? schema.items), { ...deeper(place), name: place.name, index }),
  )
}

function resolve(schema: Schema, place: Place): Schema {
  if (typeof schema.$ref !== 'string') return schema
  const { $ref, ...beside } = schema
  return mergeSchemas([lookUp(place.root, $ref), beside])
}

// Only references within the same document exist here; anything else is taken as "any value".
function lookUp(root: Schema, reference: string): Schema {
  if (!reference.startsWith('#')) return {}
  const steps = reference.slice(1).split('/').filter(Boolean)
  return steps.reduce((schema, step) => asSchema(schema[unescapePointer(step)]), root)
}

function unescapePointer(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~')
}

function firstListed(schema: Schema, place: Place): unknown {
  if (Array.isArray(schema.enum) && schema.enum.length > 0)
    return schema.enum[place.index % schema.enum.length]
  if ('default' in schema) return schema.default
  return Array.isArray(schema.examples) ? schema.examples[0] : undefined
}

function chooseBranch(schema: Schema, place: Place): Schema | null {
  if (Array.isArray(schema.allOf)) {
    return mergeSchemas(schema.allOf.map((part) => resolve(asSchema(part), place)))
  }
  const branches = [schema.anyOf, schema.oneOf].find(Array.isArray)
  if (branches === undefined || branches.length === 0) return null
  const isDeep = place.depth > DEPTH_WITHOUT_OPTIONAL
  const leaf = branches
    .map(asSchema)
    .find((branch) => branch.$ref === undefined && typeOf(branch) !== 'object')
  return (isDeep ? leaf : undefined) ?? asSchema(branches[0])
}

function withoutBranches(schema: Schema): Schema {
  const branches = schema.allOf === undefined ? ['anyOf', 'oneOf'] : ['allOf']
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => !branches.includes(keyword)))
}

/** All schemas in one; of two that say different things, the later counts. */
function mergeSchemas(schemas: readonly Schema[]): Schema {
  const merged: Record<string, unknown> = {}
  const properties: Record<string, unknown> = {}
  const required = new Set(schemas.flatMap((schema) => asStrings(schema.required)))
  for (const schema of schemas) {
    Object.assign(merged, schema)
    Object.assign(properties, asSchema(schema.properties))
  }
  if (merged.properties !== undefined) merged.properties = properties
  if (merged.required !== undefined) merged.required = [...required]
  return merged
}

function typeOf(schema: Schema): string {
  const named = Array.isArray(schema.type) ? schema.type.find((type) => type !== 'null') : schema.type
  if (typeof named === 'string') return named
  if (schema.properties !== undefined || schema.required !== undefined) return 'object'
  if (schema.items !== undefined || schema.prefixItems !== undefined) return 'array'
  return Array.isArray(schema.type) ? 'null' : 'string'
}

function deeper(place: Place): Place {
  return { ...place, depth: place.depth + 1, index: 0 }
}
