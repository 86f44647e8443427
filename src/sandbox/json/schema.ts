/** A JSON Schema object; everything in it came from outside. */
export type Schema = Readonly<Record<string, unknown>>

/** Where in the value we are, which decides how strings look and when recursion must end. */
export interface Place {
  readonly root: Schema
  /** The property being filled; empty at the root. */
  readonly name: string
  /** What the caller talked about, for properties that want a text. */
  readonly topic: string
  readonly depth: number
  /** The position inside an array, so that unique items differ. */
  readonly index: number
  /** Shared by the whole value: a schema may refer to itself in many places and grow without end. */
  readonly budget: { valuesLeft: number }
}

export function asSchema(value: unknown): Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Schema) : {}
}

export function asStrings(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []
}

// A hostile schema may ask for billions of items; what it gets then no longer fits, but the sandbox stays alive.
export function asCount(value: unknown, otherwise: number): number {
  return typeof value === 'number' && value >= 0 ? Math.min(value, 1000) : otherwise
}
