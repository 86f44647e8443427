import { CHARACTERS_PER_TOKEN } from './tokens.ts'

const SMALLEST_PREFIX_TOKENS = 1024
const BLOCK_TOKENS = 128
const BLOCK_CHARACTERS = BLOCK_TOKENS * CHARACTERS_PER_TOKEN
// Of each generation; there are two.
const MAX_PREFIXES = 4096

/** Remembers prompt prefixes by their hash, so that a repeated prompt can be reported as read from cache. */
export interface PromptCache {
  /** How many tokens of this prompt were seen before, and how many are seen now for the first time. */
  read(model: string, prompt: string): { readonly cachedTokens: number; readonly writtenTokens: number }
}

export function createPromptCache(): PromptCache {
  const seen = new PrefixMemory()
  return {
    read(model, prompt) {
      let hash = digest(model, 0n)
      let cachedTokens = 0
      let lastTokens = 0
      for (let end = BLOCK_CHARACTERS; end <= prompt.length; end += BLOCK_CHARACTERS) {
        hash = digest(prompt.slice(end - BLOCK_CHARACTERS, end), hash)
        const tokens = end / CHARACTERS_PER_TOKEN
        if (tokens < SMALLEST_PREFIX_TOKENS) continue
        if (seen.renew(hash)) cachedTokens = tokens
        lastTokens = tokens
      }
      return { cachedTokens, writtenTokens: lastTokens - cachedTokens }
    },
  }
}

function digest(text: string, seed: bigint): bigint {
  return BigInt(Bun.hash(text, seed))
}

/**
 * Forgets prefixes by the generation: one that is used moves to the newer half, and a full newer half makes the older
 * one go. Forgetting them one by one would take as long as there are prefixes for each.
 */
class PrefixMemory {
  #newer = new Set<bigint>()
  #older = new Set<bigint>()

  /** Whether the prefix was known; it is now. */
  renew(hash: bigint): boolean {
    const isKnown = this.#newer.has(hash) || this.#older.has(hash)
    this.#newer.add(hash)
    if (this.#newer.size >= MAX_PREFIXES) {
      this.#older = this.#newer
      this.#newer = new Set()
    }
    return isKnown
  }
}
