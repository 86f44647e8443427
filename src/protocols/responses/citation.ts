import type { Citation } from '../../conversation/part.ts'
import { asObject, asText, type JsonObject } from '../../wire/json-values.ts'

/** An annotation as a citation; null when it is of another kind. */
export function decodeCitation(annotation: unknown): Citation | null {
  const { type, url, title, start_index, end_index } = asObject(annotation) ?? {}
  const address = asText(url)
  if (type !== 'url_citation' || address === null) return null
  return {
    url: address,
    title: asText(title),
    citedText: null,
    start: readOffset(start_index),
    end: readOffset(end_index),
  }
}

/** The official clients take every member for granted; a citation without a place covers the whole text. */
export function encodeCitation(citation: Citation, textLength: number): JsonObject {
  return {
    type: 'url_citation',
    start_index: citation.start ?? 0,
    end_index: citation.end ?? textLength,
    url: citation.url,
    title: citation.title ?? '',
  }
}

function readOffset(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null
}
