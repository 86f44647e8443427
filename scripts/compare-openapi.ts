import { readFileSync } from 'node:fs'

/**
 * Compares two API documents: `bun scripts/compare-openapi.ts before.json after.json`. What a `$ref` points to is put in its
 * place first, so neither names of components nor the order of anything count as differences.
 */

type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json }
type JsonObject = { readonly [name: string]: Json }

interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, JsonObject>>>>
  readonly components: Readonly<Record<string, JsonObject>>
}

export interface Comparison {
  readonly added: readonly string[]
  readonly removed: readonly string[]
  /** What is different, and in which operations. */
  readonly changed: ReadonlyMap<string, readonly string[]>
}

export function compareDocuments(before: ApiDocument, after: ApiDocument): Comparison {
  const [old, now] = [operationsOf(before), operationsOf(after)]
  const changed = new Map<string, string[]>()
  const compare = (name: string, one: Json, other: Json) => {
    for (const difference of differences('', one, other)) {
      changed.set(difference, [...(changed.get(difference) ?? []), name])
    }
  }
  for (const [name, operation] of now) compare(name, old.get(name) ?? operation, operation)
  compare('the document itself', generalPart(before), generalPart(after))
  return {
    added: [...now.keys()].filter((name) => !old.has(name)),
    removed: [...old.keys()].filter((name) => !now.has(name)),
    changed,
  }
}

function operationsOf(document: ApiDocument): Map<string, Json> {
  return new Map(
    Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => [
        `${method.toUpperCase()} ${path}`,
        sortLists(resolve(document, operation)),
      ]),
    ),
  )
}

/** What stands beside the operations: prose, tags, security schemes, and schemas nothing refers to. */
function generalPart(document: ApiDocument): Json {
  const { paths: _, components, ...rest } = document
  const text = JSON.stringify(document)
  const alone = Object.entries(components.schemas ?? {}).filter(
    ([name]) => !text.includes(`"#/components/schemas/${name}"`),
  )
  const { securitySchemes = {} } = components
  return sortLists(resolve(document, { ...rest, securitySchemes, schemas: Object.fromEntries(alone) }))
}

function resolve(document: ApiDocument, value: Json): Json {
  if (isList(value)) return value.map((element) => resolve(document, element))
  if (!isObject(value)) return value
  const { $ref } = value
  if (typeof $ref !== 'string') {
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [name, resolve(document, member)]),
    )
  }
  const [, , kind = '', name = ''] = $ref.split('/')
  const target = document.components[kind]?.[name]
  if (target === undefined) throw new Error(`${$ref} points nowhere`)
  return resolve(document, target)
}

// Examples are data: the order of their lists means something.
const DATA: ReadonlySet<string> = new Set(['example', 'examples', 'default', 'const'])

function sortLists(value: Json): Json {
  if (isList(value)) return byName(value) ?? value.map(sortLists).toSorted(compareJson)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, DATA.has(name) ? member : sortLists(member)]),
  )
}

/** Parameters and tags as a map, so that one that is new does not move the others. */
function byName(list: readonly Json[]): Json | null {
  const named = list.filter(
    (element) => isObject(element) && typeof element.name === 'string',
  ) as JsonObject[]
  if (named.length === 0 || named.length < list.length) return null
  return Object.fromEntries(
    named.map((each) => [[each.in, each.name].filter(Boolean).join(' '), sortLists(each)]),
  )
}

function compareJson(one: Json, other: Json): number {
  const [a, b] = [JSON.stringify(one), JSON.stringify(other)]
  return a < b ? -1 : Number(a > b)
}

/** One line for each part that is new, gone or another; of examples and lists of words only the whole says something. */
function differences(at: string, old: Json | undefined, now: Json | undefined): string[] {
  if (Bun.deepEquals(old, now)) return []
  if (old === undefined) return [`+ ${at}: ${JSON.stringify(now)}`]
  if (now === undefined) return [`- ${at}: ${JSON.stringify(old)}`]
  const isData = DATA.has(at.slice(at.lastIndexOf('/') + 1))
  const [one, other] = [membersOf(old), membersOf(now)]
  if (isData || one === null || other === null) {
    return [`~ ${at}: ${JSON.stringify(old)} → ${JSON.stringify(now)}`]
  }
  const names = new Set([...Object.keys(one), ...Object.keys(other)])
  return [...names].flatMap((name) => differences(`${at}/${name}`, one[name], other[name]))
}

function membersOf(value: Json): JsonObject | null {
  if (isObject(value)) return value
  return isList(value) && value.every(isObject) ? Object.fromEntries(value.entries()) : null
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value)
}

function isObject(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const LONGEST_LINE = 300
const MAX_NAMES = 6

function print({ added, removed, changed }: Comparison): void {
  console.log(
    `${added.length} operations added, ${removed.length} removed, ${changed.size} differences in others`,
  )
  for (const name of added) console.log(`+ ${name}`)
  for (const name of removed) console.log(`- ${name}`)
  for (const [difference, names] of changed) {
    const others = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} others` : ''
    console.log(
      `${difference.slice(0, LONGEST_LINE)}\n    in ${names.slice(0, MAX_NAMES).join(', ')}${others}`,
    )
  }
}

if (import.meta.main) {
  const [before = '', after = ''] = process.argv.slice(2)
  const read = (path: string) => JSON.parse(readFileSync(path, 'utf8')) as ApiDocument
  print(compareDocuments(read(before), read(after)))
}
