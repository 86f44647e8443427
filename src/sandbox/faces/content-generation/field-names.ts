import { isObject } from '../../../wire/json-values.ts'

/** What stands below these names is the caller's own, and its names are nobody else's to change. */
const OPAQUE = new Set([
  'args',
  'response',
  'labels',
  'parameters',
  'parametersJsonSchema',
  'responseSchema',
  'responseJsonSchema',
])

/** This format takes every field in camel case and in snake case; the sandbox reads only the first. */
export function unifyNames(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(unifyNames)
  if (!isObject(value)) return value
  const entries = Object.entries(value).map(([given, field]) => {
    const name = toCamelCase(given)
    return [name, OPAQUE.has(name) ? field : unifyNames(field)] as const
  })
  return Object.fromEntries(entries)
}

export function toCamelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

/** The service names fields in its errors as its own definitions do. */
export function toSnakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}
