/** A JSON Schema document with lower-case type names, keys in the client's own order. */
export type JsonSchema = Readonly<Record<string, unknown>>
