import type { RankedDocument, RerankAnswer } from '../../conversation/families/rerank.ts'
import type { Usage } from '../../conversation/usage.ts'
import { insertMember } from '../../wire/json-members.ts'

export interface ReplyFacts {
  readonly id: string
  /** Of the path that the client called. */
  readonly version: ApiVersion
}

export type ApiVersion = '1' | '2'

/** A reply of this format with its ranking arranged anew. The rest stays as the supplier wrote it. */
export function encodeArranged(ranking: readonly RankedDocument[], { remarks }: RerankAnswer): string {
  return JSON.stringify({ ...remarks, results: ranking.map(encodeResult) })
}

/** Adds `meta`, which some vendors leave out and some clients require. */
export function withMeta(text: string, { remarks }: RerankAnswer, version: ApiVersion): string {
  if (Object.hasOwn(remarks, 'meta')) return text
  return insertMember(text, 'meta', JSON.stringify({ api_version: { version } }))
}

/** The reply to a request that was served in another format. */
export function encodeReply(
  ranking: readonly RankedDocument[],
  { usage }: RerankAnswer,
  { id, version }: ReplyFacts,
): string {
  return JSON.stringify({
    id,
    results: ranking.map(encodeResult),
    meta: { api_version: { version }, ...(usage !== null && { tokens: { input_tokens: usage.input } }) },
    ...(usage !== null && { usage: encodeUsage(usage) }),
  })
}

function encodeResult({ index, score, document, others }: RankedDocument): object {
  return { index, relevance_score: score, ...(document !== undefined && { document }), ...others }
}

function encodeUsage({ input }: Usage): object {
  return { prompt_tokens: input, total_tokens: input }
}
