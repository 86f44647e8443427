import { asObject, type JsonObject, tryParseJson } from '../../wire/json-values.ts'

/** A text this long cannot nest deeper than can be written again. */
const SURELY_SHALLOW = 8_000

/** The value as compact JSON; null when it nests too deeply to be written. */
export function writeJson(value: unknown): string | null {
  try {
    return JSON.stringify(value) ?? null
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

/** The object a text is the JSON of; null when it is anything else, or could not be written again. */
export function parseObject(text: string): JsonObject | null {
  if (!text.trimStart().startsWith('{')) return null
  const value = asObject(tryParseJson(text))
  if (value === null || text.length <= SURELY_SHALLOW) return value
  return writeJson(value) === null ? null : value
}
