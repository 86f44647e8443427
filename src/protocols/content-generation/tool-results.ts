import type { ToolResultPart } from '../../conversation/part.ts'
import type { JsonObject } from '../../wire/json-values.ts'
import { parseObject } from './safe-json.ts'

const WRAPPERS = ['output', 'result']

/** What a client says a tool gave back. */
export interface ToldResult {
  readonly value: unknown
  readonly isError: boolean
}

/** Takes a result out of the object that this format demands around it. */
export function unwrapResult(response: JsonObject): ToldResult {
  const names = Object.keys(response)
  const { error } = response
  if (error !== undefined && error !== null && error !== false)
    return { value: names.length === 1 ? error : response, isError: true }
  return { value: isWrapped(response, names) ? response[innerName(names)] : response, isError: false }
}

function isWrapped(response: JsonObject, names: readonly string[]): boolean {
  if (names.length === 1) return WRAPPERS.includes(names[0] ?? '')
  // One widely used client repeats the tool's name beside what it gave back.
  return names.length === 2 && typeof response.name === 'string' && names.includes('content')
}

function innerName(names: readonly string[]): string {
  return names.length === 1 ? (names[0] ?? '') : 'content'
}

/** Puts a result into an object; one that is an object already goes as it is, unless it would be mistaken. */
export function wrapResult({ parts, isError }: ToolResultPart): JsonObject {
  const text = parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
  if (isError) return { error: text }
  const value = parseObject(text)
  if (value === null) return { output: text }
  const told = unwrapResult(value)
  return told.value === value && !told.isError ? value : { output: text }
}
