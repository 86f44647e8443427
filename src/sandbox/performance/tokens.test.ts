import { expect, test } from 'bun:test'
import { countTokens, cutIntoPieces, takeCharacters } from './tokens.ts'

test('counts one token for every four characters begun', () => {
  expect([0, 1, 4, 5].map(countTokens)).toEqual([0, 1, 1, 2])
})

test('never takes half of a character', () => {
  expect(takeCharacters('a😀b', 2)).toBe('a')
  expect(takeCharacters('a😀b', 3)).toBe('a😀')
  expect(takeCharacters('ab', 5)).toBe('ab')
})

test('cuts text into pieces that join to the same text', () => {
  const text = '  Grüße,\n\nan 😀😀😀😀😀😀😀😀😀😀😀😀😀 alle \n'
  const pieces = cutIntoPieces(text)
  expect(pieces.join('')).toBe(text)
  expect(pieces.length).toBeGreaterThan(4)
  for (const piece of pieces) expect(piece.isWellFormed()).toBe(true)
  expect(cutIntoPieces('')).toEqual([])
})
