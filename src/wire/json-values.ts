export type JsonObject = Readonly<Record<string, unknown>>

/** The value as a JSON object, null when it is anything else. */
export function asObject(value: unknown): JsonObject | null {
  return isObject(value) ? value : null
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
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

/** What the text parses to, undefined when it is not JSON. */
export function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
