import type { Usage } from '../../conversation/usage.ts'
import type { RequestFacts } from '../../protocols/protocol.ts'
import { type Metering, meter } from '../../rules/ledger/meter.ts'
import { fillReport } from '../../rules/ledger/unfinished.ts'
import { tokensOfCharacters } from '../../rules/limits/window.ts'
import type { Candidate } from '../../rules/routing/candidate.ts'
import type { Outcome } from '../../vocabulary/settlement.ts'
import type { Model } from '../../vocabulary/supply.ts'
import { modelOver, type PreparedRequest, priceableTokens } from './prepared-request.ts'
import { countReply, type SentSample } from './sent-sample.ts'

/** What a request has used, as far as it is known when it ends. */
export interface MeteredEnd {
  readonly outcome: Outcome
  readonly hasDelivered: boolean
  readonly reported: Usage | null
  /** True when `reported` is our own count. */
  readonly isCounted?: boolean | undefined
  /** Our own count, for answers that are not text. */
  readonly ownCount?: Usage | undefined
  readonly outputCharacters: number
  /** Tells how many tokens these characters are: a whole reply, or a part of a stream. Absent when there are none. */
  readonly sample?: string | SentSample
  /** Our own count of a stream that was paid for step by step. */
  readonly outputTokens?: number | undefined
  /** Whether the answer ended where the money did. */
  readonly isCut?: boolean | undefined
  /** The number of images delivered; absent for text. */
  readonly images?: number | undefined
  /** The number of images within a text answer. */
  readonly inlineImages?: number | undefined
  /** The candidate that served the request. */
  readonly served?: { readonly candidate: Pick<Candidate, 'route'> } | null
  /** What is charged although nothing was delivered, because the supplier charges for it. */
  readonly owed?: Usage
}

/** A request, with the estimate of its prompt. */
export interface MeteredRequest {
  readonly prepared: PreparedRequest
  readonly promptTokens: number
}

/** The same with the estimate for money, which takes longer. */
function forMoney({ prepared }: MeteredRequest): MeteredRequest {
  return { prepared, promptTokens: priceableTokens(prepared) }
}

/** Decides what to charge, and counts if it has to. */
export function meterEnd(end: MeteredEnd, request: MeteredRequest): Metering {
  if (end.owed !== undefined) return { usage: end.owed, provenance: 'estimated', notes: ['abort_charged'] }
  if (end.isCut) return meterBy(countOutput(end, request), end, forMoney(request))
  // Nearly every answer is charged as reported, and then nothing has to be counted.
  const asReported = meterBy(0, end, request)
  if (!end.hasDelivered) return asReported
  if (end.isCounted) return { ...asReported, provenance: 'counted' }
  if (asReported.provenance !== 'supplier') return meterBy(countOutput(end, request), end, forMoney(request))
  return end.outcome === 'completed' || end.images !== undefined || end.ownCount !== undefined
    ? asReported
    : meterUnfinished(asReported, end, forMoney(request))
}

/** The report of an unfinished answer may lack something. */
function meterUnfinished(asReported: Metering, end: MeteredEnd, request: MeteredRequest): Metering {
  const usage = fillReport(asReported.usage, {
    countedOutputTokens: countOutput(end, request),
    estimatedPromptTokens: request.promptTokens,
    leastPromptTokens: leastPromptTokens(request),
  })
  return usage === asReported.usage ? asReported : { ...asReported, usage, provenance: 'counted' }
}

function meterBy(countedOutputTokens: number, end: MeteredEnd, request: MeteredRequest): Metering {
  const { outcome, hasDelivered, reported, images, inlineImages, isCut, ownCount } = end
  const { target, request: asked, bodyText } = request.prepared
  const model = end.served ? modelOver(target, end.served.candidate.route) : target.model
  return meter({
    outcome,
    hasDelivered,
    reported,
    countedOutputTokens,
    ownCount,
    estimatedPromptTokens: request.promptTokens,
    countedImages: images,
    inlineImages,
    isCut,
    bounds: {
      maxOutputTokens: asked.facts.maxOutputTokens,
      choices: asked.facts.choices,
      modelOutputLimit: model.outputTokenLimit,
      modelInputLimit: inputLimitOf(model, asked.facts),
      requestText: asked.facts.mediaParts === 0 ? (bodyText ?? null) : null,
    },
  })
}

function inputLimitOf({ inputTokenLimit }: Model, { inputs = 1 }: RequestFacts): number | null {
  return inputTokenLimit === null ? null : inputTokenLimit * inputs
}

function countOutput(end: MeteredEnd, { prepared }: MeteredRequest): number {
  const { outputCharacters, outputTokens, sample } = end
  if (outputTokens !== undefined) return outputTokens
  if (sample === undefined || outputCharacters === 0) return tokensOfCharacters(outputCharacters)
  if (typeof sample === 'string') return countReply(sample, outputCharacters, prepared.protocol)
  return sample.countTokens(outputCharacters, prepared.protocol)
}

// Further off than any estimate of a text.
const PLACEHOLDER_FACTOR = 8

/** Media may be much less than they are estimated, text is not. */
function leastPromptTokens({ prepared, promptTokens }: MeteredRequest): number {
  const isText = prepared.request.facts.mediaParts === 0
  return isText ? Math.max(1, Math.floor(promptTokens / PLACEHOLDER_FACTOR)) : 1
}
