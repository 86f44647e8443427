import type { TokenLogprob } from '../../../conversation/answer.ts'
import type { Citation } from '../../../conversation/part.ts'
import { asArray, asObject, asText, type JsonObject } from '../../../wire/json-values.ts'

/** The text part that carries a citation: its start in the message and its length so far. */
export interface TextPlace {
  readonly start: number
  readonly length: number
}

/** Offsets refer to the whole text of the message. A citation without offsets covers its text part. */
export function encodeCitation(citation: Citation, { start, length }: TextPlace): JsonObject {
  return {
    type: 'url_citation',
    url_citation: {
      start_index: start + (citation.start ?? 0),
      end_index: start + (citation.end ?? length),
      title: citation.title ?? '',
      url: citation.url,
    },
  }
}

/** Reads the citations of a text part that begins at `start` in the message. */
export function decodeCitations(annotations: unknown, start: number): Citation[] {
  return asArray(annotations).flatMap((annotation) => {
    const { url, title, start_index, end_index } = asObject(asObject(annotation)?.url_citation) ?? {}
    const address = asText(url)
    if (address === null) return []
    return [
      {
        url: address,
        title: asText(title),
        citedText: null,
        start: offset(start_index, start),
        end: offset(end_index, start),
      },
    ]
  })
}

function offset(index: unknown, start: number): number | null {
  return Number.isSafeInteger(index) ? Math.max(0, Number(index) - start) : null
}

type Alternative = TokenLogprob['top'][number]

export function encodeLogprobs(logprobs: readonly TokenLogprob[] | null): JsonObject | null {
  if (logprobs === null) return null
  const content = logprobs.map((entry) => ({
    ...encodeToken(entry),
    top_logprobs: entry.top.map(encodeToken),
  }))
  return { content, refusal: null }
}

function encodeToken({ token, logprob }: Alternative): JsonObject {
  return { token, logprob, bytes: [...new TextEncoder().encode(token)] }
}

/** Reads the log probabilities of a choice or a chunk. Returns null when there are none. */
export function decodeLogprobs(wire: unknown): TokenLogprob[] | null {
  const { content, refusal } = asObject(wire) ?? {}
  const tokens = [...asArray(content), ...asArray(refusal)].flatMap((entry) => {
    const token = decodeToken(entry)
    if (token === null) return []
    const top = asArray(asObject(entry)?.top_logprobs).flatMap((other) => decodeToken(other) ?? [])
    return [{ ...token, top }]
  })
  return tokens.length === 0 ? null : tokens
}

function decodeToken(wire: unknown): Alternative | null {
  const { token, logprob } = asObject(wire) ?? {}
  return typeof token === 'string' && typeof logprob === 'number' ? { token, logprob } : null
}
