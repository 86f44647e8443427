import { expect, test } from 'bun:test'
import { createPromptCache } from './prompt-cache.ts'

const CHARACTERS_OF_1024_TOKENS = 4096

test('reports a repeated prompt in whole blocks, from 1,024 tokens on', () => {
  const cache = createPromptCache()
  const prompt = 'a'.repeat(CHARACTERS_OF_1024_TOKENS + 700)
  expect(cache.read('m', prompt)).toEqual({ cachedTokens: 0, writtenTokens: 1152 })
  expect(cache.read('m', prompt)).toEqual({ cachedTokens: 1152, writtenTokens: 0 })
  const longer = `${prompt}${'and then something new'.repeat(100)}`
  expect(cache.read('m', longer)).toEqual({ cachedTokens: 1152, writtenTokens: 512 })
})

test('does not take a short prompt, another beginning or another model for a repetition', () => {
  const cache = createPromptCache()
  const prompt = 'b'.repeat(CHARACTERS_OF_1024_TOKENS)
  cache.read('m', prompt)
  expect(cache.read('m', `X${prompt}`).cachedTokens).toBe(0)
  expect(cache.read('other', prompt).cachedTokens).toBe(0)
  const short = 'c'.repeat(CHARACTERS_OF_1024_TOKENS - 1)
  cache.read('m', short)
  expect(cache.read('m', short).cachedTokens).toBe(0)
})

test('forgets the oldest prefixes instead of growing', () => {
  const cache = createPromptCache()
  const first = 'first'.padEnd(CHARACTERS_OF_1024_TOKENS, '.')
  cache.read('m', first)
  for (let index = 0; index < 8192; index++)
    cache.read('m', `${index}`.padEnd(CHARACTERS_OF_1024_TOKENS, '.'))
  expect(cache.read('m', first).cachedTokens).toBe(0)
})
