import type { Ask } from './ask.ts'

export const CHARACTERS_PER_TOKEN = 4
// One price for every image keeps usage independent of how an image was encoded.
export const TOKENS_PER_IMAGE = 85
/** What an image costs in an answer, whatever its size. */
export const TOKENS_PER_MADE_IMAGE = 1290
const CHARACTERS_PER_IMAGE = TOKENS_PER_IMAGE * CHARACTERS_PER_TOKEN

export function countTokens(characters: number): number {
  return Math.ceil(characters / CHARACTERS_PER_TOKEN)
}

/**
 * The prompt as one text, for counting and for finding prefixes seen before. Tools and instructions come first,
 * as they do in real prompt caches, so a conversation that grows keeps its prefix.
 */
export function renderPrompt(ask: Ask): string {
  const tools = ask.tools.map((tool) => `${tool.name} ${JSON.stringify(tool.input)}`)
  const turns = ask.turns.map(
    (turn) => `${turn.role}: ${turn.text}${' '.repeat(imageCharacters(turn.images.length))}`,
  )
  return [...tools, ...ask.instructions, ...turns].join('\n')
}

function imageCharacters(images: number): number {
  return images * CHARACTERS_PER_IMAGE
}

/** The longest beginning of `text` within `characters` that does not end inside a surrogate pair. */
export function takeCharacters(text: string, characters: number): string {
  if (text.length <= characters) return text
  const lastUnit = text.charCodeAt(characters - 1)
  const splitsPair = lastUnit >= 0xd800 && lastUnit <= 0xdbff
  return text.slice(0, splitsPair ? characters - 1 : characters)
}

/** Cuts text into the pieces a stream would bring: about a word each, never inside a character. */
export function cutIntoPieces(text: string): string[] {
  return text.match(/\s*\S{1,12}|\s+$/gu) ?? []
}
