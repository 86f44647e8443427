import type { TokenLogprob } from '../../../conversation/answer.ts'
import { asArray, asObject, type JsonObject } from '../../../wire/json-values.ts'

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

/** The log probabilities of a choice or a piece of one; null when there are none. */
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
