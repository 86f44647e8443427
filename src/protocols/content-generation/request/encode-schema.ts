import type { JsonSchema } from '../../../conversation/json-schema.ts'
import { GatewayError } from '../../../errors/gateway-error.ts'
import { asArray, asObject, isObject, type JsonObject } from '../../../wire/json-values.ts'

const FORMATS: ReadonlySet<unknown> = new Set([
  'date-time',
  'date',
  'time',
  'int32',
  'int64',
  'float',
  'double',
])
const ROOT_DEFINITION = /^#\/\$defs\/[^/]+$/

/** A schema with only the supported keywords; suppliers of this format reject all others. */
export function encodeSchema(schema: JsonSchema): JsonObject {
  return new SchemaEncoder(schema).encode()
}

/** The schema of a tool's arguments, which must be an object; null when it has no constraints. */
export function encodeParameters(schema: JsonSchema | null): JsonObject | null {
  if (schema === null) return null
  const encoded = encodeSchema(schema)
  const hasShape = Object.keys(asObject(encoded.properties) ?? {}).length > 0
  const isOpen = isObject(encoded.additionalProperties) || encoded.additionalProperties === true
  if (!hasShape && !isOpen && encoded.anyOf === undefined && encoded.$ref === undefined) return null
  return encoded.type === undefined && encoded.anyOf === undefined ? { type: 'object', ...encoded } : encoded
}

class SchemaEncoder {
  readonly #root: JsonObject
  readonly #guard = new SchemaGuard()
  /** References being expanded, to stop at recursive ones. */
  readonly #open = new Set<string>()

  constructor(root: JsonObject) {
    this.#root = root
  }

  encode(): JsonObject {
    const target = typeof this.#root.$ref === 'string' ? this.#resolve(this.#root.$ref) : null
    const { $ref: _, ...rest } = this.#root
    return this.#node(target === null ? this.#root : { ...rest, ...target })
  }

  #node(node: unknown): JsonObject {
    return this.#guard.within(() => {
      const merged = this.#mergeAll(asObject(node) ?? {})
      if (typeof merged.$ref === 'string') return this.#reference(merged.$ref)
      const encoded: Record<string, unknown> = {}
      for (const [name, value] of Object.entries(merged))
        this.#keyword(encoded, { name, value, node: merged })
      finishNode(encoded)
      return encoded
    })
  }

  #reference(reference: string): JsonObject {
    const pointer = currentPointer(reference)
    if (this.#open.has(pointer)) return {}
    const target = this.#resolve(pointer)
    if (target === null) return {}
    if (ROOT_DEFINITION.test(pointer)) return { $ref: pointer }
    this.#open.add(pointer)
    const encoded = this.#node(target)
    this.#open.delete(pointer)
    return encoded
  }

  #keyword(encoded: Record<string, unknown>, { name, value, node }: Keyword): void {
    switch (name) {
      case 'properties':
      case '$defs':
        encoded[name] = this.#map(value)
        return
      case 'definitions':
        encoded.$defs = this.#map(value)
        return
      case 'anyOf':
      case 'oneOf':
        encoded.anyOf = [...asArray(encoded.anyOf), ...this.#list(value)]
        return
      case 'prefixItems':
        encoded.prefixItems = this.#list(value)
        return
      case 'items':
        if (Array.isArray(value)) encoded.prefixItems = this.#list(value)
        else if (isObject(value)) encoded.items = this.#node(value)
        return
      case 'additionalProperties':
        encoded.additionalProperties = isObject(value) ? this.#node(value) : value === true
        return
      default:
        encodeScalar(encoded, { name, value, node })
    }
  }

  #list(value: unknown): JsonObject[] {
    return asArray(value).map((item) => this.#node(item))
  }

  #map(value: unknown): JsonObject {
    const members = Object.entries(asObject(value) ?? {})
    return Object.fromEntries(members.map(([name, member]) => [name, this.#node(member)]))
  }

  /** `allOf` is not supported, so its branches are merged into the node. */
  #mergeAll(node: JsonObject): JsonObject {
    if (!Array.isArray(node.allOf)) return node
    const { allOf, ...rest } = node
    const [only] = allOf
    if (allOf.length === 1 && isObject(only) && rest.properties === undefined) {
      if (typeof only.$ref === 'string') return only
      return this.#guard.within(() => this.#mergeAll({ ...only, ...rest }))
    }
    return mergeNodes([rest, ...allOf.map((branch) => this.#branch(branch))])
  }

  #branch(branch: unknown): JsonObject {
    return this.#guard.within(() => {
      const node = asObject(branch) ?? {}
      if (typeof node.$ref !== 'string') return this.#mergeAll(node)
      return this.#branch(this.#resolve(node.$ref))
    })
  }

  #resolve(reference: string): JsonObject | null {
    const pointer = currentPointer(reference)
    if (!pointer.startsWith('#')) return null
    let found: unknown = this.#root
    for (const step of pointer.split('/').slice(1)) {
      const name = step.replaceAll('~1', '/').replaceAll('~0', '~')
      const parent = found as Readonly<Record<string, unknown>> | null | undefined
      const isHere = typeof parent === 'object' && parent !== null && Object.hasOwn(parent, name)
      found = isHere ? parent[name] : name === '$defs' ? asObject(parent)?.definitions : undefined
    }
    return asObject(found)
  }
}

interface Keyword {
  readonly name: string
  readonly value: unknown
  readonly node: JsonObject
}

const TEXTS: ReadonlySet<string> = new Set(['$id', '$anchor', 'title', 'description'])
const LIMITS: ReadonlySet<string> = new Set(['minItems', 'maxItems', 'minimum', 'maximum'])
const NAME_LISTS: ReadonlySet<string> = new Set(['required', 'propertyOrdering'])

function encodeScalar(encoded: Record<string, unknown>, { name, value, node }: Keyword): void {
  if (TEXTS.has(name) && typeof value === 'string') encoded[name] = value
  else if (LIMITS.has(name) && typeof value === 'number') encoded[name] = value
  else if (NAME_LISTS.has(name)) encoded[name] = asArray(value).filter((item) => typeof item === 'string')
  else if (name === 'type' && (typeof value === 'string' || Array.isArray(value))) encoded.type = value
  else if (name === 'format' && FORMATS.has(value)) encoded.format = value
  else if (name === 'const') encodeValues(encoded, [value])
  else if (name === 'enum') encodeValues(encoded, asArray(value))
  else if (typeof value === 'number')
    encodeOpenLimit(encoded, { name, value, isWhole: node.type === 'integer' })
}

/** Exclusive limits become inclusive ones. For fractions, the limit itself is the closest. */
function encodeOpenLimit(
  encoded: Record<string, unknown>,
  { name, value, isWhole }: { name: string; value: number; isWhole: boolean },
): void {
  if (name === 'exclusiveMinimum') encoded.minimum = isWhole ? value + 1 : value
  if (name === 'exclusiveMaximum') encoded.maximum = isWhole ? value - 1 : value
}

/** `enum` may hold only strings and numbers; other values are reduced to their type. */
function encodeValues(encoded: Record<string, unknown>, values: readonly unknown[]): void {
  const listed = values.filter((value) => typeof value === 'string' || typeof value === 'number')
  const others = values.filter(
    (value) => value !== null && typeof value !== 'string' && typeof value !== 'number',
  )
  if (listed.length > 0 && others.length === 0) encoded.enum = listed
  if (listed.length === 0 && others.length > 0 && others.every((value) => typeof value === 'boolean'))
    encoded.type ??= 'boolean'
  if (values.length === 1 && values[0] === null) encoded.type ??= 'null'
}

/** Adds an implied type, and removes required names without a property. */
function finishNode(encoded: Record<string, unknown>): void {
  if (encoded.type === undefined && encoded.properties !== undefined) encoded.type = 'object'
  const properties = asObject(encoded.properties) ?? {}
  if (encoded.required === undefined) return
  // Suppliers reject required names without a property.
  const required = asArray(encoded.required).filter((name) => Object.hasOwn(properties, String(name)))
  if (required.length > 0) encoded.required = required
  else delete encoded.required
}

/** Merges nodes; the earlier one wins. */
function mergeNodes(nodes: readonly JsonObject[]): JsonObject {
  const merged: Record<string, unknown> = {}
  const properties: Record<string, unknown> = {}
  const required = new Set(nodes.flatMap((node) => asArray(node.required)))
  for (const node of nodes.toReversed()) {
    Object.assign(merged, node)
    Object.assign(properties, asObject(node.properties))
  }
  return {
    ...merged,
    ...(Object.keys(properties).length > 0 && { properties }),
    ...(required.size > 0 && { required: [...required] }),
  }
}

function currentPointer(reference: string): string {
  return reference.replace(/^#\/definitions\//, '#/$defs/')
}

const MAX_DEPTH = 100
const MAX_NODES = 10_000

/** Rejects schemas that nest too deeply or grow too large when references are expanded. */
export class SchemaGuard {
  #nodesLeft = MAX_NODES
  #depth = 0

  /** Runs `visit` one level deeper. */
  within<Result>(visit: () => Result): Result {
    this.#nodesLeft--
    this.#depth++
    if (this.#depth > MAX_DEPTH || this.#nodesLeft < 0)
      throw new GatewayError(
        'invalid_request',
        'A JSON schema in the request is too large or nested too deeply.',
      )
    const result = visit()
    this.#depth--
    return result
  }
}
