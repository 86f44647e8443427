/** The two words of the published API in the words of models that know more than two. */
const SYNONYMS: ReadonlyMap<string, string> = new Map([
  ['standard', 'medium'],
  ['hd', 'high'],
])

/** What clients may say to a model that knows these words. */
export function qualityWordsOf(qualities: 'any' | readonly string[]): 'any' | readonly string[] {
  if (qualities === 'any') return qualities
  const understood = [...SYNONYMS].filter(([, word]) => qualities.includes(word)).map(([word]) => word)
  return [...new Set([...understood, ...qualities])]
}

/** A client's word as the model says it; null when it has no word for it. */
export function encodeQuality(quality: string, qualities: 'any' | readonly string[]): string | null {
  if (qualities === 'any' || qualities.includes(quality)) return quality
  const synonym = SYNONYMS.get(quality)
  return synonym !== undefined && qualities.includes(synonym) ? synonym : null
}
