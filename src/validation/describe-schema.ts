/** The parts of JSON Schema that the wire formats' schemas use. */
export interface SchemaNode {
  readonly type?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly SchemaNode[]
  readonly properties?: Readonly<Record<string, SchemaNode>>
  readonly required?: readonly string[]
  /** The schema of members that `properties` does not name. */
  readonly additionalProperties?: SchemaNode
  readonly items?: SchemaNode
  readonly minItems?: number
  readonly maxItems?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly maxProperties?: number
  readonly minimum?: number
  readonly maximum?: number
}

/** Describes a schema so that it completes "temperature must be ...". Null is never mentioned. */
export function describeSchema(schema: SchemaNode): string {
  const values = allowedValues(schema)
  if (values !== null) return listValues(values)
  if (schema.anyOf) return describeUnion(branchesOf(schema))
  switch (schema.type) {
    case 'string':
      return schema.minLength === undefined ? 'a string' : 'a non-empty string'
    case 'number':
      return `a number${describeBounds(schema.minimum, schema.maximum)}`
    case 'integer':
      return `an integer${describeBounds(schema.minimum, schema.maximum)}`
    case 'array':
      return describeArray(schema)
    case 'object':
      return 'an object'
    default:
      return `a ${schema.type ?? 'value of another kind'}`
  }
}

/** The branches of a union, flattened and without null. */
export function branchesOf(schema: SchemaNode): readonly SchemaNode[] {
  if (!schema.anyOf) return schema.type === 'null' ? [] : [schema]
  return schema.anyOf.flatMap(branchesOf)
}

/** The values of an enum or const; null for other schemas. */
export function allowedValues(schema: SchemaNode): readonly unknown[] | null {
  if (schema.const !== undefined) return [schema.const]
  return schema.enum ?? null
}

export function listValues(values: readonly unknown[]): string {
  const shown = values.map((value) => JSON.stringify(value))
  return shown.length === 1 ? `${shown[0]}` : `one of ${shown.join(', ')}`
}

function describeUnion(branches: readonly SchemaNode[]): string {
  const values = branches.flatMap((branch) => allowedValues(branch) ?? [])
  const others = branches.filter((branch) => allowedValues(branch) === null).map(describeSchema)
  const all = values.length === 0 ? others : [listValues(values), ...others]
  return [...new Set(all)].join(' or ')
}

function describeBounds(minimum: number | undefined, maximum: number | undefined): string {
  if (minimum !== undefined && maximum !== undefined) return ` from ${minimum} to ${maximum}`
  if (minimum !== undefined) return ` of at least ${minimum}`
  return maximum === undefined ? '' : ` of at most ${maximum}`
}

// Larger limits are safety bounds, mentioned only to clients that exceed them.
const MAX_MENTIONED_ITEMS = 16

/** Whether every error about the list mentions its length limit. */
export function mentionsLength({ maxItems }: SchemaNode): boolean {
  return maxItems !== undefined && maxItems <= MAX_MENTIONED_ITEMS
}

function describeArray(schema: SchemaNode): string {
  const { items, minItems, maxItems } = schema
  const noun = describeMany(items ?? {})
  if (mentionsLength(schema)) return `an array of ${minItems ?? 0} to ${maxItems} ${noun}`
  return minItems === undefined ? `an array of ${noun}` : `a non-empty array of ${noun}`
}

// 'a non-empty string' becomes 'non-empty strings'.
function describeMany(items: SchemaNode): string {
  const [words = '', ...others] = new Set(branchesOf(items).map(describeSchema))
  const isNoun = others.length === 0 && /^an? /.test(words) && items.type !== 'array'
  return isNoun ? `${words.replace(/^an? /, '')}s` : 'items'
}
