import { randomInt } from 'node:crypto'
import type { RandomSource } from './parts.ts'

const LOWER_CASE_AND_DIGITS = 'abcdefghijklmnopqrstuvwxyz0123456789'
const LETTERS_AND_DIGITS = `ABCDEFGHIJKLMNOPQRSTUVWXYZ${LOWER_CASE_AND_DIGITS}`

export const systemRandom: RandomSource = {
  secret: () => `sk-${pickCharacters(LETTERS_AND_DIGITS, 48)}`,
  id: (prefix) => `${prefix}_${pickCharacters(LOWER_CASE_AND_DIGITS, 20)}`,
}

// randomInt is unbiased; taking bytes modulo 62 would favour some characters.
function pickCharacters(alphabet: string, count: number): string {
  return Array.from({ length: count }, () => alphabet.charAt(randomInt(alphabet.length))).join('')
}
