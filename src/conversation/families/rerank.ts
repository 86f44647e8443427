import type { Usage } from '../usage.ts'

/** A document as the client gave it: a text, or an object with a text or something else to rank. */
export type GivenDocument = string | Readonly<Record<string, unknown>>

/** A request to rank documents by how well they match a query, independent of the wire format. */
export interface RerankRequest {
  readonly model: string
  readonly query: string
  readonly documents: readonly GivenDocument[]
  /** What is ranked of each document; null for one that has no text, such as an image. */
  readonly texts: readonly (string | null)[]
  /** How many of the best ones the client wants; null for all. */
  readonly topN: number | null
  /** Whether the client wants its documents in the answer; null when it did not say. */
  readonly returnDocuments: boolean | null
  /** The tokens after which a document is cut; null when the supplier chooses. */
  readonly maxTokensPerDocument: number | null
  /** Everything else that the client chose. */
  readonly others: readonly (readonly [name: string, value: unknown])[]
  /** The body as the client wrote it. */
  readonly bodyText: string
}

export interface RankedDocument {
  /** Of the document in the request. */
  readonly index: number
  readonly score: number
  /** What the supplier returned of the document; absent when nothing. */
  readonly document?: unknown
  /** What else the supplier says about it, in the client's format. */
  readonly others?: Readonly<Record<string, unknown>>
}

/** The ranking that a supplier made. */
export interface RerankAnswer {
  readonly ranking: readonly RankedDocument[]
  /** null when the supplier reported none. */
  readonly usage: Usage | null
  /** Facts about all documents together, as the client's format has them. */
  readonly remarks: Readonly<Record<string, unknown>>
}

/** A request in a supplier's format. */
export interface EncodedRerankRequest {
  readonly body: string
  /** Parameters that this format does not support. */
  readonly dropped: readonly string[]
}

/** Whether a ranking names each document at most once, and no other. */
export function isRankingOf(ranking: readonly RankedDocument[], documents: number): boolean {
  const seen = new Set<number>()
  for (const { index } of ranking) {
    if (!Number.isInteger(index) || index < 0 || index >= documents || seen.has(index)) return false
    seen.add(index)
  }
  return true
}

/** The ranking as the client wants it: best first, no more than requested, with documents or without. */
export function arrange(
  ranking: readonly RankedDocument[],
  request: RerankRequest,
): readonly RankedDocument[] {
  const isSorted = ranking.every(
    ({ score }, place) => place === 0 || score <= (ranking[place - 1]?.score ?? 0),
  )
  const sorted = isSorted ? ranking : ranking.toSorted((one, other) => other.score - one.score)
  const wanted = sorted.slice(0, request.topN ?? sorted.length)
  return wanted.map((ranked) => withDocument(ranked, request))
}

function withDocument(ranked: RankedDocument, { documents, returnDocuments }: RerankRequest): RankedDocument {
  const { document, ...bare } = ranked
  const isWanted = returnDocuments ?? document !== undefined
  if (!isWanted) return document === undefined ? ranked : bare
  const given = documents[ranked.index]
  // A text comes back as the supplier returned it, an object as the client gave it: only its text was sent.
  if (typeof given !== 'string') return { ...bare, document: given }
  return document === undefined ? { ...bare, document: { text: given } } : ranked
}

/** Whether two rankings say the same, given that one was made of the other. */
export function isSameRanking(one: readonly RankedDocument[], other: readonly RankedDocument[]): boolean {
  return one.length === other.length && one.every((ranked, place) => ranked === other[place])
}

/** How many characters a model reads: the query again with each document. */
export function countCharacters({ query, texts }: Pick<RerankRequest, 'query' | 'texts'>): number {
  let characters = query.length * texts.length
  for (const text of texts) characters += text?.length ?? 0
  return characters
}

const DOCUMENTS_PER_UNIT = 100
const TOKENS_PER_CHUNK = 500
const MAX_TOKENS_PER_DOCUMENT = 4096

/**
 * The search units of a request, as suppliers define them: one for up to a hundred documents. A document that has more
 * than 500 tokens together with the query counts as several.
 */
export function countSearchUnits(request: RerankRequest, tokensPerCharacter: number): number {
  const longest = request.maxTokensPerDocument ?? MAX_TOKENS_PER_DOCUMENT
  const queryTokens = request.query.length * tokensPerCharacter
  let chunks = 0
  for (const text of request.texts) {
    const tokens = Math.min(longest, (text?.length ?? 0) * tokensPerCharacter)
    chunks += Math.max(1, Math.ceil((queryTokens + tokens) / TOKENS_PER_CHUNK))
  }
  return Math.ceil(chunks / DOCUMENTS_PER_UNIT)
}
