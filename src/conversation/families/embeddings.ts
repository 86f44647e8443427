import type { Usage } from '../usage.ts'

/** What embeddings are used for. Some models embed a question differently from the text that answers it. */
export type EmbeddingPurpose =
  | 'query'
  | 'document'
  | 'similarity'
  | 'classification'
  | 'clustering'
  | 'question'
  | 'fact-check'
  | 'code-query'

/** A text, or the tokens of one by the tokenizer of the model. */
export type EmbeddingInput = string | readonly number[]

/** A request to embed texts, independent of the wire format. */
export interface EmbeddingRequest {
  readonly model: string
  /** In the order of the answer. Either all are texts or all are lists of tokens. */
  readonly inputs: readonly EmbeddingInput[]
  /** The length of each vector; null when the model chooses. */
  readonly dimensions: number | null
  readonly purpose: EmbeddingPurpose | null
  readonly user: string | null
  /** Names of parameters that only suppliers of the client's own format understand. */
  readonly others: readonly string[]
}

/** Numbers, or the same as little-endian 32-bit floats in Base64. */
export type Vector = readonly number[] | string

/** The vectors that were made, one for each input and in their order. */
export interface EmbeddingAnswer {
  readonly vectors: readonly Vector[]
  /** null when the supplier reported none. */
  readonly usage: Usage | null
}

const BYTES_PER_NUMBER = 4

/** The vector in Base64. A number that needs more than 32 bits is rounded to the nearest float. */
export function base64Of(vector: Vector): string {
  if (typeof vector === 'string') return vector
  const floats = Float32Array.from(vector)
  return Buffer.from(floats.buffer).toString('base64')
}

/** The numbers of a vector. Every 32-bit float is exactly representable as a number. */
export function numbersOf(vector: Vector): readonly number[] {
  if (typeof vector !== 'string') return vector
  const bytes = Buffer.from(vector, 'base64')
  // A copy, because floats must be aligned in memory.
  const copy = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length)
  return Array.from(new Float32Array(copy))
}

/** The length of a vector; null when it is not one. */
export function dimensionsOf(vector: Vector): number | null {
  if (typeof vector !== 'string') return vector.length
  const padding = vector.endsWith('==') ? 2 : vector.endsWith('=') ? 1 : 0
  const bytes = (vector.length / 4) * 3 - padding
  return bytes > 0 && bytes % BYTES_PER_NUMBER === 0 ? bytes / BYTES_PER_NUMBER : null
}

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/

/** A supplier's value as a vector; null when it is not one. */
export function asVector(value: unknown): Vector | null {
  if (typeof value === 'string') return dimensionsOf(value) !== null && BASE64.test(value) ? value : null
  return Array.isArray(value) && value.length > 0 && value.every(Number.isFinite) ? value : null
}

/** The vectors of a list; null unless every entry is one. */
export function asVectors(values: readonly unknown[]): readonly Vector[] | null {
  const vectors: Vector[] = []
  for (const value of values) {
    const vector = asVector(value)
    if (vector === null) return null
    vectors.push(vector)
  }
  return vectors
}
