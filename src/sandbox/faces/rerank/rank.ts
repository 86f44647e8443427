import { countTokens } from '../../performance/tokens.ts'

export interface Ranked {
  readonly index: number
  readonly score: number
}

/** Documents by the share of the query's words that they contain, the best first. */
export function rank(query: string, documents: readonly string[]): readonly Ranked[] {
  const wanted = new Set(wordsOf(query))
  return documents
    .map((document, index) => ({ index, score: scoreOf(wanted, document) }))
    .sort((one, other) => other.score - one.score || one.index - other.index)
}

function scoreOf(wanted: ReadonlySet<string>, document: string): number {
  const found = new Set(wordsOf(document).filter((word) => wanted.has(word)))
  return Math.round((found.size / Math.max(1, wanted.size)) * 1e6) / 1e6
}

function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
}

/** The query is read again with each document. */
export function countRankedTokens(query: string, documents: readonly string[]): number {
  const ofDocuments = documents.reduce((sum, document) => sum + countTokens(document.length), 0)
  return countTokens(query.length) * documents.length + ofDocuments
}

/** One for up to a hundred documents; a long document counts as several. */
export function countUnits(query: string, documents: readonly string[]): number {
  const chunks = documents.map((document) =>
    Math.max(1, Math.ceil((countTokens(query.length) + countTokens(document.length)) / 500)),
  )
  return Math.ceil(chunks.reduce((sum, count) => sum + count, 0) / 100)
}
