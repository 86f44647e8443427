import type { Citation } from '../../../conversation/part.ts'
import { asObject, asText, type JsonObject } from '../../../wire/json-values.ts'

/** null for citations of documents, which have no URL. */
export function decodeCitation(wire: unknown): Citation | null {
  const citation = asObject(wire)
  const url = asText(citation?.url) ?? asText(citation?.source)
  if (citation === null || url === null) return null
  return {
    url,
    title: asText(citation.title),
    citedText: asText(citation.cited_text),
    start: null,
    end: null,
  }
}

export function encodeCitation({ url, title, citedText }: Citation): JsonObject {
  return {
    type: 'web_search_result_location',
    url,
    title,
    cited_text: citedText ?? '',
    // Only the supplier that searched knows this value, but clients require the field.
    encrypted_index: '',
  }
}
