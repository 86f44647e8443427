import {
  allowedValues,
  branchesOf,
  describeSchema,
  listValues,
  mentionsLength,
  type SchemaNode,
} from './describe-schema.ts'

/** The first violation of a schema. */
export interface Problem {
  /** For example `messages[0].role`; empty for the value itself. */
  readonly path: string
  /** Follows the path in a sentence: `must be a number from 0 to 2`. */
  readonly complaint: string
  /** True when the value is only too long. */
  readonly isTooLong?: boolean
}

const MAX_NAME_CHARACTERS = 64

/**
 * Finds the first problem in the order of the schema's members; null when there is none.
 * For a union, the problem is about the branch that the value was evidently meant for.
 */
export function findProblem(schema: SchemaNode, value: unknown, path = ''): Problem | null {
  const problem = findWithin(schema, value)
  return problem && within(path, problem)
}

/** The same with a path relative to the value. Most items of a long list are valid and need no path. */
function findWithin(schema: SchemaNode, value: unknown): Problem | null {
  if (schema.anyOf) return findUnionProblem(schema, value)
  const values = allowedValues(schema)
  if (values !== null) return values.includes(value) ? null : mustBe(schema)
  if (schema.type !== undefined && !isOfType(schema.type, value)) return mustBe(schema)
  if (typeof value === 'number')
    return isWithin(value, schema.minimum, schema.maximum) ? null : mustBe(schema)
  if (typeof value === 'string') return findStringProblem(schema, value)
  if (Array.isArray(value)) return findArrayProblem(schema, value)
  return isObject(value) ? findObjectProblem(schema, value) : null
}

/** The problem with its path prefixed. */
function within(path: string, problem: Problem): Problem {
  return path === '' ? problem : { ...problem, path: joinPaths(path, problem.path) }
}

function joinPaths(path: string, rest: string): string {
  return rest === '' || rest.startsWith('[') ? path + rest : `${path}.${rest}`
}

function findStringProblem(schema: SchemaNode, value: string): Problem | null {
  const { minLength, maxLength = Number.POSITIVE_INFINITY } = schema
  if (value.length > maxLength) return tooLong(maxLength, 'characters')
  return isWithin(value.length, minLength) ? null : mustBe(schema)
}

function tooLong(most: number, what: string): Problem {
  return { path: '', complaint: `may have at most ${most} ${what}`, isTooLong: true }
}

function mustBe(schema: SchemaNode): Problem {
  return { path: '', complaint: `must be ${describeSchema(schema)}` }
}

function isOfType(type: string, value: unknown): boolean {
  switch (type) {
    case 'integer':
      return Number.isInteger(value)
    case 'number':
      return Number.isFinite(value)
    case 'array':
      return Array.isArray(value)
    case 'object':
      return isObject(value)
    case 'null':
      return value === null
    default:
      return typeof value === type
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isWithin(
  value: number,
  minimum = Number.NEGATIVE_INFINITY,
  maximum = Number.POSITIVE_INFINITY,
): boolean {
  return value >= minimum && value <= maximum
}

function findArrayProblem(schema: SchemaNode, value: readonly unknown[]): Problem | null {
  const { minItems, maxItems = Number.POSITIVE_INFINITY } = schema
  if (value.length > maxItems && !mentionsLength(schema)) return tooLong(maxItems, 'items')
  if (!isWithin(value.length, minItems, maxItems)) return mustBe(schema)
  if (!schema.items) return null
  for (const [index, item] of value.entries()) {
    const problem = findWithin(schema.items, item)
    if (problem) return within(`[${index}]`, problem)
  }
  return null
}

function findObjectProblem(schema: SchemaNode, value: Readonly<Record<string, unknown>>): Problem | null {
  const { maxProperties } = schema
  if (maxProperties !== undefined && Object.keys(value).length > maxProperties)
    return tooLong(maxProperties, 'members')
  for (const [name, property] of membersOf(schema)) {
    const problem = Object.hasOwn(value, name) ? findWithin(property, value[name]) : findMissing(schema, name)
    if (problem) return within(shownName(name), problem)
  }
  return schema.additionalProperties ? findOtherProblem(schema, value) : null
}

type Members = readonly (readonly [name: string, schema: SchemaNode])[]

// Cached per schema: a long list needs the same ones for every item.
const knownMembers = new WeakMap<SchemaNode, Members>()
const knownUnions = new WeakMap<SchemaNode, Union>()

function membersOf(schema: SchemaNode): Members {
  const known = knownMembers.get(schema)
  if (known !== undefined) return known
  const members = Object.entries(schema.properties ?? {})
  knownMembers.set(schema, members)
  return members
}

function findMissing(schema: SchemaNode, name: string): Problem | null {
  return schema.required?.includes(name) ? { path: '', complaint: 'is required' } : null
}

function findOtherProblem(
  { properties = {}, additionalProperties }: SchemaNode,
  value: Readonly<Record<string, unknown>>,
): Problem | null {
  if (!additionalProperties) return null
  for (const [name, member] of Object.entries(value)) {
    if (Object.hasOwn(properties, name)) continue
    const problem = findWithin(additionalProperties, member)
    if (problem) return within(shownName(name), problem)
  }
  return null
}

function shownName(name: string): string {
  return name.slice(0, MAX_NAME_CHARACTERS)
}

function findUnionProblem(schema: SchemaNode, value: unknown): Problem | null {
  const { branches, objects, hasNull } = unionOf(schema)
  if (value === null && hasNull) return null
  const chosen = isObject(value) && objects !== null ? objects.byTag.get(value[objects.tag]) : undefined
  if (chosen !== undefined) return findWithin(chosen, value)
  const fitting = branches.filter((branch) => isMeantFor(branch, value))
  const problems = fitting.map((branch) => findWithin(branch, value))
  if (problems.includes(null)) return null
  const [first] = problems
  if (fitting.length > 1) return findTagProblem(fitting, value) ?? mustBe(schema)
  // A problem with the value itself must list all branches, not only the likeliest one.
  return first && (first.path !== '' || first.isTooLong) ? first : mustBe(schema)
}

interface Union {
  readonly branches: readonly SchemaNode[]
  readonly hasNull: boolean
  /** Object branches by the value of their tag member; null when they have no common tag. */
  readonly objects: { readonly tag: string; readonly byTag: ReadonlyMap<unknown, SchemaNode> } | null
}

function unionOf(schema: SchemaNode): Union {
  const known = knownUnions.get(schema)
  if (known !== undefined) return known
  const branches = branchesOf(schema)
  const union = { branches, hasNull: takesNull(schema), objects: taggedObjects(branches) }
  knownUnions.set(schema, union)
  return union
}

function taggedObjects(branches: readonly SchemaNode[]): Union['objects'] {
  const objects = branches.filter((branch) => isMeantFor(branch, {}))
  const tag = objects.length > 1 ? tagOf(objects) : null
  if (tag === null) return null
  const byTag = new Map<unknown, SchemaNode>()
  for (const branch of objects.toReversed()) byTag.set(branch.properties?.[tag]?.const, branch)
  return { tag, byTag }
}

function takesNull(schema: SchemaNode): boolean {
  return schema.type === 'null' || (schema.anyOf ?? []).some(takesNull)
}

/** True when the value has the type of the branch. */
function isMeantFor(branch: SchemaNode, value: unknown): boolean {
  const values = allowedValues(branch)
  if (values !== null) return values.some((allowed) => typeof allowed === typeof value)
  return branch.type === undefined || isOfType(branch.type === 'integer' ? 'number' : branch.type, value)
}

/** Several object branches: reports the tag member, or a problem inside the branch that the tag names. */
function findTagProblem(branches: readonly SchemaNode[], value: unknown): Problem | null {
  const tag = tagOf(branches)
  if (tag === null || !isObject(value)) return null
  const chosen = branches.find((branch) => branch.properties?.[tag]?.const === value[tag])
  if (chosen) return findWithin(chosen, value)
  const tags = branches.map((branch) => branch.properties?.[tag]?.const)
  const isMissing = !Object.hasOwn(value, tag)
  return {
    path: shownName(tag),
    complaint: `${isMissing ? 'is required: ' : 'must be '}${listValues(tags)}`,
  }
}

function tagOf([first, ...others]: readonly SchemaNode[]): string | null {
  const isTag = (branch: SchemaNode, name: string) => branch.properties?.[name]?.const !== undefined
  const names = Object.keys(first?.properties ?? {})
  return names.find((name) => [first, ...others].every((branch) => branch && isTag(branch, name))) ?? null
}
