import { asCount, asObject, type JsonObject } from '../wire/json-values.ts'

/** The objects of a list in the order of their `index`; null when one is missing, doubled or not an object. */
export function inOrder(list: unknown): readonly JsonObject[] | null {
  if (!Array.isArray(list)) return null
  const ordered: JsonObject[] = new Array(list.length)
  let found = 0
  for (const [place, value] of list.entries()) {
    const entry = asObject(value)
    if (entry === null) return null
    const index = asCount(entry.index, place)
    if (index >= list.length || ordered[index] !== undefined) return null
    ordered[index] = entry
    found += 1
  }
  return found === list.length ? ordered : null
}
