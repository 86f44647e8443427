import type {
  EncodedRerankRequest,
  RankedDocument,
  RerankAnswer,
  RerankRequest,
} from '../../conversation/families/rerank.ts'
import { NO_USAGE } from '../../conversation/usage.ts'
import { GatewayError } from '../../errors/gateway-error.ts'
import { asObject, type JsonObject } from '../../wire/json-values.ts'
import { decodeErrorBody } from '../error-body.ts'
import type { RerankSide, RerankSupply } from '../family-sides.ts'

/** Documented by the vendor. */
const MAX_DOCUMENTS = 1_000

/** Parameters that mean the same here as in the client's format. */
const SHARED: ReadonlySet<string> = new Set(['truncation'])

/** Rerank in the format of this vendor. */
export const voyageRerank: RerankSide = {
  name: 'voyage',
  decodeError: decodeErrorBody,
  refusalOf,
  encodeRequest,
  decodeReply,
  strippable: SHARED,
}

function refusalOf({ texts }: RerankRequest): GatewayError | null {
  if (texts.length > MAX_DOCUMENTS) {
    return refuse('documents', `documents may have at most ${MAX_DOCUMENTS} entries for this model.`)
  }
  const place = texts.indexOf(null)
  if (place === -1) return null
  return refuse(
    `documents[${place}]`,
    `documents[${place}] must be a string, or an object with a text, for this model.`,
  )
}

function refuse(param: string, message: string): GatewayError {
  return new GatewayError('invalid_request', message, { param })
}

/** The gateway returns documents itself, so they are not asked for. */
function encodeRequest(
  { query, texts, topN, others }: RerankRequest,
  { upstreamModel, refused }: RerankSupply,
): EncodedRerankRequest {
  const isTaken = (name: string) => SHARED.has(name) && !refused.includes(name)
  const taken = others.filter(([name]) => isTaken(name))
  const dropped = others.map(([name]) => name).filter((name) => !isTaken(name))
  const body = {
    model: upstreamModel,
    query,
    documents: texts,
    ...(topN !== null && { top_k: topN }),
    ...Object.fromEntries(taken),
  }
  return { body: JSON.stringify(body), dropped }
}

function decodeReply(body: unknown): RerankAnswer | null {
  const reply = asObject(body)
  if (reply === null || !Array.isArray(reply.data)) return null
  const ranking = reply.data.flatMap((entry: unknown) => decodeResult(asObject(entry)) ?? [])
  if (ranking.length < reply.data.length) return null
  const tokens = asObject(reply.usage)?.total_tokens
  const isCount = typeof tokens === 'number' && Number.isSafeInteger(tokens) && tokens >= 0
  return { ranking, usage: isCount ? { ...NO_USAGE, input: tokens } : null, remarks: {} }
}

function decodeResult(entry: JsonObject | null): RankedDocument | null {
  if (entry === null) return null
  const { index, relevance_score } = entry
  if (typeof index !== 'number' || typeof relevance_score !== 'number') return null
  return { index, score: relevance_score }
}
