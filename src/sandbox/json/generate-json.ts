import { asObject, type JsonObject } from '../../wire/json-values.ts'
import { takeCharacters } from '../performance/tokens.ts'

// Beyond this depth optional properties are left out, so that a schema that refers to itself comes to an end.
const DEPTH_WITHOUT_OPTIONAL = 6
const DEEPEST = 32
const MAX_VALUES = 5000

/** A plausible value that fits the schema; the same schema and topic always give the same value. */
export function generateJson(schema: unknown, topic: string): unknown {
  const root = asSchema(schema)
  return generate(root, { root, name: '', topic, depth: 0, index: 0, budget: { valuesLeft: MAX_VALUES } })
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

/** The smallest allowed number that looks chosen: `index` steps above the minimum, on the required grid. */
function generateNumber(schema: Schema, index: number): number {
  const isInteger =
    schema.type === 'integer' || (Array.isArray(schema.type) && schema.type.includes('integer'))
  const grid = asNumber(schema.multipleOf) ?? 1
  const lowest = lowerBound(schema)
  const highest = upperBound(schema)
  if (lowest === null && highest === null) return grid * (index + 1)
  if (lowest === null) return Math.floor((highest ?? 0) / grid) * grid - index * grid
  const onGrid = Math.ceil(lowest / grid) * grid + index * grid
  // Between two bounds closer than the grid only their middle is left.
  if (!isInteger && highest !== null && onGrid > highest) return (lowest + highest) / 2
  return onGrid
}

function lowerBound(schema: Schema): number | null {
  const exclusive = asNumber(schema.exclusiveMinimum)
  return exclusive === null ? asNumber(schema.minimum) : exclusive + smallestStep(schema)
}

function upperBound(schema: Schema): number | null {
  const exclusive = asNumber(schema.exclusiveMaximum)
  return exclusive === null ? asNumber(schema.maximum) : exclusive - smallestStep(schema)
}

function smallestStep(schema: Schema): number {
  return schema.type === 'integer' ? 1 : 1e-6
}

function asNumber(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null
}

const LONGEST_TOPIC = 200

const FORMATS: Readonly<Record<string, string>> = {
  date: '2026-01-15',
  'date-time': '2026-01-15T12:00:00Z',
  time: '12:00:00Z',
  duration: 'PT1H',
  email: 'ada@example.com',
  hostname: 'example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  uri: 'https://example.com/',
  uuid: '00000000-0000-4000-8000-000000000000',
}

/** What a property of this name usually holds. */
const NAMED: readonly (readonly [name: RegExp, value: string])[] = [
  [/city|location|place|destination/i, 'Paris'],
  [/country/i, 'France'],
  [/email/i, 'ada@example.com'],
  [/url|link|website/i, 'https://example.com/'],
  [/date|day/i, '2026-01-15'],
  [/path|file/i, 'notes.txt'],
  [/currency/i, 'EUR'],
  [/language/i, 'en'],
  [/name|person|author/i, 'Ada Lovelace'],
]

const TOPICAL = /query|question|prompt|text|input|message|search|command|content|answer|reply|summary/i

function generateString(schema: Schema, place: Place): string {
  const format = typeof schema.format === 'string' ? FORMATS[schema.format] : undefined
  if (format !== undefined) return format
  const base = suggest(place)
  return fitLength(place.index === 0 ? base : `${base} ${place.index + 1}`, schema)
}

function suggest({ name, topic }: Place): string {
  const known = NAMED.find(([pattern]) => pattern.test(name))
  if (known !== undefined) return known[1]
  if (TOPICAL.test(name) && topic !== '') return takeCharacters(topic, LONGEST_TOPIC)
  return name === '' ? 'sample' : `sample ${name}`
}

function fitLength(text: string, schema: Schema): string {
  const shortest = typeof schema.minLength === 'number' ? Math.min(schema.minLength, 100_000) : 0
  const longest =
    typeof schema.maxLength === 'number' ? Math.max(0, schema.maxLength) : Number.POSITIVE_INFINITY
  return takeCharacters(text.padEnd(shortest, '.'), longest)
}

/** A JSON Schema object; everything in it came from outside. */
type Schema = JsonObject

/** Where in the value we are, which decides how strings look and when recursion must end. */
interface Place {
  readonly root: Schema
  /** The property being filled; empty at the root. */
  readonly name: string
  /** What the caller talked about, for properties that want a text. */
  readonly topic: string
  readonly depth: number
  /** The position inside an array, so that unique items differ. */
  readonly index: number
  /** Shared by the whole value: a schema may refer to itself in many places and grow without end. */
  readonly budget: { valuesLeft: number }
}

function asSchema(value: unknown): Schema {
  return asObject(value) ?? {}
}

function asStrings(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []
}

// A hostile schema may ask for billions of items; what it gets then no longer fits, but the sandbox stays alive.
function asCount(value: unknown, otherwise: number): number {
  return typeof value === 'number' && value >= 0 ? Math.min(value, 1000) : otherwise
}
