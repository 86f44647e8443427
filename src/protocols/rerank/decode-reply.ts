import type { RankedDocument, RerankAnswer } from '../../conversation/families/rerank.ts'
import { NO_USAGE, type Usage } from '../../conversation/usage.ts'
import { withDetails } from '../../conversation/usage-report.ts'
import { asObject, type JsonObject } from '../../wire/json-values.ts'

/** Reads a supplier's reply; null when it is not one of this format. */
export function decodeReply(body: unknown): RerankAnswer | null {
  const reply = asObject(body)
  if (reply === null || !Array.isArray(reply.results)) return null
  const { results, ...remarks } = reply
  const ranking = reply.results.flatMap((entry: unknown) => decodeResult(asObject(entry)) ?? [])
  if (ranking.length < reply.results.length) return null
  return { ranking, usage: decodeUsage(reply), remarks }
}

function decodeResult(entry: JsonObject | null): RankedDocument | null {
  if (entry === null) return null
  const { index, relevance_score, document, ...others } = entry
  if (typeof index !== 'number' || typeof relevance_score !== 'number') return null
  const hasDocument = document !== undefined && document !== null
  return { index, score: relevance_score, others, ...(hasDocument && { document }) }
}

/** Some vendors bill search units, others tokens; one may report both. */
function decodeUsage({ meta, usage }: JsonObject): Usage | null {
  const facts = asObject(meta)
  const billed = asObject(facts?.billed_units)
  const used = asObject(usage)
  const searchUnits = countIn(billed?.search_units)
  const tokens =
    countIn(used?.total_tokens) ??
    countIn(used?.prompt_tokens) ??
    countIn(billed?.input_tokens) ??
    countIn(asObject(facts?.tokens)?.input_tokens)
  if (searchUnits === null && tokens === null) return null
  return withDetails({ ...NO_USAGE, input: tokens ?? 0 }, { searchUnits: searchUnits ?? undefined })
}

function countIn(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null
}
