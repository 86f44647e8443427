/** How many numbers a vector has unless the caller says so, and at most. */
export const USUAL_DIMENSIONS = 256
export const MAX_DIMENSIONS = 1_536

const MAX_WORDS = 200
const LETTERS = 3

/**
 * A unit vector that depends on the words of a text and on their letters: texts with the same words have similar
 * vectors. A shorter vector is the beginning of a longer one, as with real models.
 */
export function embed(text: string, dimensions: number): Float32Array {
  const sums = new Float64Array(dimensions)
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+|[^\s\p{L}\p{N}]/gu) ?? [' ']
  for (const word of words.slice(0, MAX_WORDS)) {
    addFeature(sums, word, 1)
    for (let at = 0; at + LETTERS < word.length; at += 1)
      addFeature(sums, `#${word.slice(at, at + LETTERS)}`, 0.25)
  }
  const length = Math.sqrt(sums.reduce((total, value) => total + value * value, 0))
  return Float32Array.from(sums, (value) => value / length)
}

/** The vector of a list of tokens, whose words only the tokenizer of a real model knows. */
export function embedTokens(tokens: readonly number[], dimensions: number): Float32Array {
  return embed(tokens.map((token) => `t${token}`).join(' '), dimensions)
}

/** Adds random numbers that depend on the feature alone. */
function addFeature(sums: Float64Array, feature: string, weight: number): void {
  let state = hash(feature)
  for (let place = 0; place < sums.length; place += 1) {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    sums[place] = (sums[place] ?? 0) + (weight * (state | 0)) / 2 ** 31
  }
}

/** FNV-1a; never 0, which would stay 0. */
function hash(text: string): number {
  let value = 0x811c9dc5
  for (let at = 0; at < text.length; at += 1) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193)
  return value === 0 ? 1 : value
}

/** As vendors write them: nine digits say a 32-bit float exactly. */
export function writeNumbers(vector: Float32Array): number[] {
  return Array.from(vector, (value) => Number(value.toPrecision(9)))
}

export function writeBase64(vector: Float32Array): string {
  return Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength).toString('base64')
}
