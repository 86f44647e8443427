import { CHARACTERS_PER_TOKEN } from './tokens.ts'

const SMALLEST_PREFIX_TOKENS = 1024
const BLOCK_TOKENS = 128
const BLOCK_CHARACTERS = BLOCK_TOKENS * CHARACTERS_PER_TOKEN
const MOST_PREFIXES = 8192

/** Remembers prompt prefixes by their hash, so that a repeated prompt can be reported as read from cache. */
export interface PromptCache {
  /** How many tokens of this prompt were seen before, and how many are seen now for the first time. */
  read(model: string, prompt: string): { readonly cachedTokens: number; readonly writtenTokens: number }
}

export function createPromptCache(): PromptCache {
  const seen = new Set<bigint>()
  return {
    read(model, prompt) {
      let hash = digest(model, 0n)
      let cachedTokens = 0
      let lastTokens = 0
      for (let end = BLOCK_CHARACTERS; end <= prompt.length; end += BLOCK_CHARACTERS) {
        hash = digest(prompt.slice(end - BLOCK_CHARACTERS, end), hash)
        const tokens = end / CHARACTERS_PER_TOKEN
        if (tokens < SMALLEST_PREFIX_TOKENS) continue
        if (seen.has(hash)) cachedTokens = tokens
        remember(seen, hash)
        lastTokens = tokens
      }
      return { cachedTokens, writtenTokens: lastTokens - cachedTokens }
    },
  }
}

function digest(text: string, seed: bigint): bigint {
  return BigInt(Bun.hash(text, seed))
}

function remember(seen: Set<bigint>, hash: bigint): void {
  // Re-inserting moves a prefix in use to the end, so the oldest unused one is forgotten first.
  seen.delete(hash)
  seen.add(hash)
  if (seen.size <= MOST_PREFIXES) return
  const oldest = seen.values().next().value
  if (oldest !== undefined) seen.delete(oldest)
}
