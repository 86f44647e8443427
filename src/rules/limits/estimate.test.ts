import { expect, test } from 'bun:test'
import { estimatePromptTokens, estimateTokens, tokensOfCharacters } from './window.ts'

test.each([
  [0, 0],
  [1, 1],
  [4, 1],
  [5, 2],
])('spec 8.3: %i characters are %i tokens', (characters, tokens) => {
  expect(tokensOfCharacters(characters)).toBe(tokens)
})

test('spec 8.3: a media part counts 1,600', () => {
  expect(estimatePromptTokens({ promptCharacters: 9, mediaParts: 2 })).toBe(3 + 3_200)
})

test('spec 8.3: the output counts as asked for, or 512', () => {
  expect(estimateTokens({ promptCharacters: 4, mediaParts: 0, maxOutputTokens: null })).toBe(513)
  expect(estimateTokens({ promptCharacters: 4, mediaParts: 0, maxOutputTokens: 9 })).toBe(10)
})
