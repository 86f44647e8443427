import type { TSchema } from 'typebox'
import { Check } from 'typebox/value'
import { GatewayError } from '../../errors/gateway-error.ts'
import {
  type LocateProblem,
  RefusedSupply,
  readSupplyPath,
  type SupplyPath,
  type SupplyProblem,
  type SupplyText,
} from '../../manage/ports/supply-application.ts'
import { isRate, Price } from '../../vocabulary/price.ts'
import { nearestName } from '../../vocabulary/runtime/nearest-name.ts'
import type { Sent } from '../../vocabulary/shape.ts'
import { type SupplyDocument, SupplyFile } from '../../vocabulary/supply.ts'
import { readYaml } from './read-yaml.ts'

const FILE = SupplyFile.draft
type WrittenSupply = Sent<typeof FILE>

export interface ReadSupply {
  readonly document: SupplyDocument
  /** The suppliers that say `prune: true`. */
  readonly pruneSuppliers: readonly string[]
  /** The environment variables that the file uses. */
  readonly references: readonly string[]
  readonly locate: LocateProblem
}

/** Reads a supply file. Throws RefusedSupply with all problems at once. */
export function readSupply(source: SupplyText): ReadSupply {
  const reading = readYaml(source, isAmount)
  const locate: LocateProblem = (problem) => `${source.name}:${reading.locate(problem)}`
  // A file with only comments is an empty supply.
  const value = reading.value ?? {}
  const spoilt = new Set(reading.problems.map(({ path }) => JSON.stringify(path)))
  // A value that could not be read is not reported a second time as missing.
  const unfit = findProblems(FILE.schema, value).filter(({ path }) => !spoilt.has(JSON.stringify(path)))
  const problems = [...reading.problems, ...unfit]
  if (problems.length === 0) problems.push(...findMissingPrices(value as WrittenSupply))
  const refuse = (found: readonly SupplyProblem[]): never => {
    throw new RefusedSupply(found, source.name, locate)
  }
  if (problems.length > 0) refuse(problems)
  const { suppliers, ...others } = readValue(value as WrittenSupply, (problem) => refuse([problem]))
  return {
    document: { suppliers: suppliers.map(({ prune: _, ...supplier }) => supplier), ...others },
    pruneSuppliers: suppliers.filter(({ prune }) => prune).map(({ id }) => id),
    references: reading.references,
    locate,
  }
}

/** Whether a rate of a price stands here, whose digits must stay as they are written. */
function isAmount(path: SupplyPath): boolean {
  let schema: TSchema | null | undefined = FILE.schema
  for (const part of path) {
    const { meant } = unwrap(schema ?? undefined)
    const known = readFields(meant)?.known ?? {}
    schema = typeof part === 'number' ? itemsOf(meant) : Object.hasOwn(known, part) ? known[part] : null
    if (!schema) return false
  }
  return isRate(unwrap(schema).meant)
}

/** Text models need token prices, which the schema cannot express. */
function findMissingPrices({ models = [] }: WrittenSupply): SupplyProblem[] {
  const { takes } = Price.fields.inputNanoPerMillion.codec.input as { takes?: string }
  return models.flatMap(({ kinds = ['text'], routes = [] }, model) =>
    routes.flatMap((route, index) =>
      (['price', 'cost'] as const).flatMap((field) => {
        const rates = route[field]
        if (!rates || !kinds.includes('text')) return []
        const missing = (['input', 'output'] as const).filter((name) => rates[name] === undefined)
        return missing.map((name) => ({
          path: ['models', model, 'routes', index, field, name],
          message: `is missing; it takes ${takes}.`,
        }))
      }),
    ),
  )
}

/** What the schema cannot check, such as a time, is a problem at its place. */
function readValue(value: WrittenSupply, refuse: (problem: SupplyProblem) => never) {
  try {
    return FILE.read(value)
  } catch (error) {
    if (!(error instanceof GatewayError) || error.param === null) throw error
    const { param, message } = error
    const own = message.startsWith(`${param} `) ? message.slice(param.length + 1) : message
    return refuse({ path: readSupplyPath(param), message: own })
  }
}

/** All fields that do not match the schema, each with the value it got and the value it takes. */
export function findProblems(schema: TSchema, value: unknown, path: SupplyPath = []): SupplyProblem[] {
  const { meant, mayBeNull } = unwrap(schema)
  if (mayBeNull && value === null) return []
  const fields = readFields(meant)
  if (fields !== null && isRecord(value)) return problemsOfFields(fields, value, path)
  const items = itemsOf(meant)
  const members = items !== null && Array.isArray(value) ? value : []
  const inside = members.flatMap((member, index) => findProblems(items ?? meant, member, [...path, index]))
  if (inside.length > 0 || Check(schema, value)) return inside
  const takes = `it takes ${takesOf(meant)}${mayBeNull ? ' or null' : ''}.`
  return [{ path, message: `got ${describeGot(value, path)}; ${takes}${adviceFor(meant, value)}` }]
}

/** A sentence that says what to write, where that is likely. It never quotes the value, which may be a secret. */
function adviceFor(schema: TSchema, value: unknown): string {
  if (itemsOf(schema) !== null && isRecord(value)) return ' Begin each item of the list with "- ".'
  if (value === null) return ' Remove the name if there is nothing to say.'
  if (typeof value === 'number' && 'type' in schema && schema.type === 'string') return ' Put it in quotes.'
  if (typeof value !== 'string') return ''
  const choices = choicesOf(schema)
  const guess = BOOLEAN_WORDS[value.toLowerCase()] ?? guessName(value, choices)
  return guess !== undefined && guess !== null && choices.includes(guess) ? ` Did you mean ${guess}?` : ''
}

/** Texts that other versions of YAML read as true or false, and quoted ones. */
const BOOLEAN_WORDS: Readonly<Record<string, string>> = {
  yes: 'true',
  on: 'true',
  true: 'true',
  no: 'false',
  off: 'false',
  false: 'false',
}

function choicesOf(schema: TSchema): readonly string[] {
  if ('type' in schema && schema.type === 'boolean') return ['true', 'false']
  return 'enum' in schema && Array.isArray(schema.enum) ? schema.enum.map(String) : []
}

interface Fields {
  readonly known: Readonly<Record<string, TSchema>>
  readonly required: readonly string[]
}

function problemsOfFields({ known, required }: Fields, value: object, path: SupplyPath): SupplyProblem[] {
  const absent = Object.keys(known).filter((name) => !Object.hasOwn(value, name))
  const meant = new Set<string>()
  const problems: SupplyProblem[] = []
  for (const [name, member] of Object.entries(value)) {
    const schema = Object.hasOwn(known, name) ? known[name] : undefined
    if (schema === undefined) {
      const guess = problems.length < MAX_GUESSES ? guessName(name, absent) : null
      if (guess !== null) meant.add(guess)
      const advice =
        guess === null ? `known here: ${Object.keys(known).join(', ')}.` : `did you mean ${guess}?`
      problems.push({ path: [...path, name], message: `is not a known field; ${advice}` })
    } else problems.push(...findProblems(schema, member, [...path, name]))
  }
  // A field with a misspelled name is not missing as well.
  const missing = required.filter((name) => absent.includes(name) && !meant.has(name))
  const reports = missing.map((name) => ({
    path: [...path, name],
    message: `is missing; it takes ${takesOf(unwrap(known[name]).meant)}.`,
  }))
  return [...reports, ...problems]
}

/** The field or choice that someone probably meant: one with a similar name, or with a longer one. */
function guessName(name: string, names: readonly string[]): string | null {
  // A long text is no name, and comparing it would take long.
  if (name.length < MIN_GUESSED || name.length > MAX_GUESSED) return null
  return nearestName(name, names) ?? names.find((candidate) => candidate.startsWith(name)) ?? null
}

// More problems than are shown.
const MAX_GUESSES = 20
const MIN_GUESSED = 3
const MAX_GUESSED = 40

/** Every union in these schemas is a type and null. */
function unwrap(schema: TSchema | undefined): { meant: TSchema; mayBeNull: boolean } {
  if (schema === undefined) return { meant: {}, mayBeNull: false }
  if (!('anyOf' in schema) || !Array.isArray(schema.anyOf)) return { meant: schema, mayBeNull: false }
  return { meant: schema.anyOf[0] as TSchema, mayBeNull: true }
}

function readFields(schema: TSchema): Fields | null {
  if (!('properties' in schema)) return null
  return {
    known: schema.properties as Readonly<Record<string, TSchema>>,
    required: 'required' in schema ? (schema.required as string[]) : [],
  }
}

function itemsOf(schema: TSchema): TSchema | null {
  return 'items' in schema ? (schema.items as TSchema) : null
}

function takesOf(schema: TSchema): string {
  return 'takes' in schema ? String(schema.takes) : 'something else'
}

function isRecord(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Describes the value without quoting strings, which may be secrets; nor numbers in the place of a secret. */
function describeGot(value: unknown, path: SupplyPath): string {
  if (value === null) return 'nothing'
  if (Array.isArray(value)) return `a list of ${value.length}`
  switch (typeof value) {
    case 'string':
      return value === '' ? 'an empty text' : `a text of ${value.length} characters`
    case 'number':
      return path.at(-1) === 'secret' ? 'a number' : String(value)
    case 'boolean':
      return String(value)
    default:
      return 'fields'
  }
}
