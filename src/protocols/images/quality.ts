/** The two qualities of the published API, for models with other names. */
const SYNONYMS: ReadonlyMap<string, string> = new Map([
  ['standard', 'medium'],
  ['hd', 'high'],
])

/** The qualities that clients may use with a model. */
export function qualityWordsOf(qualities: 'any' | readonly string[]): 'any' | readonly string[] {
  if (qualities === 'any') return qualities
  const understood = [...SYNONYMS].filter(([, word]) => qualities.includes(word)).map(([word]) => word)
  return [...new Set([...understood, ...qualities])]
}

/** The model's name for a quality; null when it has none. */
export function encodeQuality(quality: string, qualities: 'any' | readonly string[]): string | null {
  if (qualities === 'any' || qualities.includes(quality)) return quality
  const synonym = SYNONYMS.get(quality)
  return synonym !== undefined && qualities.includes(synonym) ? synonym : null
}
