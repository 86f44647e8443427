export type JsonObject = Readonly<Record<string, unknown>>

/** The value as a JSON object, null when it is anything else. */
export function asObject(value: unknown): JsonObject | null {
  const isPlain = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isPlain ? (value as JsonObject) : null
}

export function isObject(value: unknown): value is JsonObject {
  return asObject(value) !== null
}

/** The value as an array, empty when it is anything else. */
export function asArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** The value as a string, null when it is anything else or empty. */
export function asText(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}

/** The length of a string, 0 for anything else. */
export function textLength(value: unknown): number {
  return typeof value === 'string' ? value.length : 0
}

/** A count is a safe non-negative integer. Returns `fallback` for a missing value, 0 for anything else. */
export function asCount(value: unknown, fallback = 0): number {
  if (value === undefined || value === null) return Math.max(0, fallback)
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : 0
}

/** False for a value that is present but not a count. */
export function isCountOrMissing(value: unknown): boolean {
  return value === undefined || value === null || asCount(value) === value
}

/** What the text parses to, undefined when it is not JSON. */
export function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
