import type { Citation } from '../../conversation/part.ts'
import { asArray, asObject, asText, type JsonObject } from '../../wire/json-values.ts'

/** A citation whose offsets are positions in all the text of its candidate. */
type PlacedCitation = Citation

/**
 * The sources a candidate names. Suppliers count in bytes of UTF-8 over the whole text, and name each source once,
 * whichever sentences lean on it.
 */
export function decodeGrounding(candidate: JsonObject, text: string): PlacedCitation[] {
  const bytes = Buffer.from(text)
  return [...decodeSupports(candidate, bytes), ...decodeSources(candidate, bytes)]
}

function decodeSupports(candidate: JsonObject, bytes: Buffer): PlacedCitation[] {
  const grounding = asObject(candidate.groundingMetadata)
  if (grounding === null) return []
  const sources = asArray(grounding.groundingChunks).map((chunk) => {
    const web = asObject(asObject(chunk)?.web)
    return { url: asText(web?.uri), title: asText(web?.title) }
  })
  const supports = asArray(grounding.groundingSupports).map((support) => asObject(support) ?? {})
  const supported = supports.flatMap(({ segment, groundingChunkIndices }) =>
    asArray(groundingChunkIndices).map((index) => ({
      index,
      place: decodeSegment(asObject(segment), bytes),
    })),
  )
  const named = new Set(supported.map(({ index }) => index))
  const unsupported = sources.flatMap((_, index) => (named.has(index) ? [] : [{ index, place: NOWHERE }]))
  return [...supported, ...unsupported].flatMap(({ index, place }) => {
    const { url = null, title = null } = (isOffset(index) ? sources[index] : undefined) ?? {}
    return url === null ? [] : [{ url, title, ...place }]
  })
}

/** Where text was taken from word for word. */
function decodeSources(candidate: JsonObject, bytes: Buffer): PlacedCitation[] {
  const metadata = asObject(candidate.citationMetadata)
  return asArray(metadata?.citationSources ?? metadata?.citations).flatMap((source) => {
    const { uri, title, startIndex, endIndex } = asObject(source) ?? {}
    const url = asText(uri)
    if (url === null) return []
    return [{ url, title: asText(title), ...decodeSegment({ startIndex, endIndex }, bytes) }]
  })
}

const NOWHERE = { citedText: null, start: null, end: null }

function decodeSegment(segment: JsonObject | null, bytes: Buffer): Omit<Citation, 'url' | 'title'> {
  const end = segment?.endIndex
  // Protocol buffers leave out a zero.
  const start = segment?.startIndex ?? 0
  if (!isOffset(start) || !isOffset(end) || start > end || end > bytes.length)
    return { ...NOWHERE, citedText: asText(segment?.text) }
  const before = bytes.toString('utf8', 0, start).length
  const cited = bytes.toString('utf8', start, end)
  return { citedText: asText(segment?.text) ?? cited, start: before, end: before + cited.length }
}

function isOffset(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}

/** The other way: sources as a client of this format reads them. */
export function encodeGrounding(citations: readonly PlacedCitation[], text: string): JsonObject {
  if (citations.length === 0) return {}
  const urls = [...new Set(citations.map(({ url }) => url))]
  const groundingChunks = urls.map((url) => {
    const title = citations.find((citation) => citation.url === url && citation.title !== null)?.title
    return { web: { uri: url, ...(title && { title }) } }
  })
  const groundingSupports = citations.flatMap(({ url, start, end, citedText }) => {
    if (start === null || end === null) return []
    const segment = {
      startIndex: Buffer.byteLength(text.slice(0, start)),
      endIndex: Buffer.byteLength(text.slice(0, end)),
      text: citedText ?? text.slice(start, end),
    }
    return [{ segment, groundingChunkIndices: [urls.indexOf(url)] }]
  })
  return { groundingMetadata: { groundingChunks, groundingSupports } }
}
