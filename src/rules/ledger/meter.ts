import { NO_USAGE, type Usage, type UsageProvenance } from '../../conversation/usage.ts'
import type { Outcome, SettlementNote } from '../../vocabulary/settlement.ts'

/** What the request could use at most, to judge a report by. */
export interface UsageBounds {
  readonly maxOutputTokens: number | null
  readonly modelOutputLimit: number | null
  readonly modelInputLimit: number | null
  readonly choices: number
  /** The whole request; null when its prompt is more than text. */
  readonly requestText: string | null
}

/** What is known about a request when it ends. */
export interface RequestEnd {
  readonly outcome: Outcome
  /** Whether any of the answer reached the client. */
  readonly hasDelivered: boolean
  /** The usage that the supplier reported. */
  readonly reported: Usage | null
  /** Our own count of what was delivered. */
  readonly countedOutputTokens: number
  /** Our own count of everything, for answers that are not text. */
  readonly ownCount?: Usage | undefined
  /** The estimate made at arrival. */
  readonly estimatedPromptTokens: number
  /** Images delivered; absent for text requests. */
  readonly countedImages?: number | undefined
  /** Images delivered within a text answer, which no supplier reports by number. */
  readonly inlineImages?: number | undefined
  /** Whether the answer ended where the money did. */
  readonly isCut?: boolean | undefined
  readonly bounds: UsageBounds
}

export interface Metering {
  readonly usage: Usage
  readonly provenance: UsageProvenance
  readonly notes: readonly SettlementNote[]
}

const NO_NOTES: readonly SettlementNote[] = []
const CUT: readonly SettlementNote[] = ['cut_by_balance']
const IMPLAUSIBLE: readonly SettlementNote[] = ['implausible_usage']

/** Decides which usage to charge, from the outcome, what was delivered and what the supplier reported. */
export function meter(ending: RequestEnd): Metering {
  const metering = meterReport(ending)
  const { inlineImages, hasDelivered } = ending
  if (!inlineImages || !hasDelivered) return metering
  return { ...metering, usage: { ...metering.usage, images: inlineImages } }
}

function meterReport(ending: RequestEnd): Metering {
  if (ending.isCut === true) return { ...meterCut(ending), provenance: 'counted' }
  if (!ending.hasDelivered) return { usage: NO_USAGE, provenance: 'estimated', notes: NO_NOTES }
  const { reported } = ending
  if (reported === null) return { usage: countedUsage(ending), provenance: 'counted', notes: NO_NOTES }
  if (!isPlausible(reported, ending)) {
    return { usage: countedUsage(ending), provenance: 'counted', notes: IMPLAUSIBLE }
  }
  // Without tokens only the number of images is known, and that is our own count.
  if (ending.countedImages !== undefined && reported.input + reported.output === 0)
    return { usage: reported, provenance: 'counted', notes: NO_NOTES }
  if (ending.outcome === 'completed' || reported.output >= ending.countedOutputTokens) {
    return { usage: reported, provenance: 'supplier', notes: NO_NOTES }
  }
  // The report of an interrupted answer may be outdated; charge at least what was delivered.
  return {
    usage: { ...reported, output: ending.countedOutputTokens },
    provenance: 'counted',
    notes: NO_NOTES,
  }
}

/** The supplier may have generated more than was delivered. What it reported of the prompt still counts. */
function meterCut(ending: RequestEnd): Omit<Metering, 'provenance'> {
  const { reported, countedOutputTokens: output } = ending
  if (reported === null) return { usage: countedUsage(ending), notes: CUT }
  const usage = { ...reported, output, reasoning: 0 }
  if (isPlausible(usage, ending)) return { usage, notes: CUT }
  return { usage: countedUsage(ending), notes: [...CUT, ...IMPLAUSIBLE] }
}

/** Image answers are counted in images, because only the supplier knows how many tokens they took. */
function countedUsage(ending: RequestEnd): Usage {
  if (ending.ownCount !== undefined) return ending.ownCount
  if (ending.countedImages !== undefined) return { ...NO_USAGE, images: ending.countedImages }
  return { ...NO_USAGE, input: ending.estimatedPromptTokens, output: ending.countedOutputTokens }
}

// Suppliers add a few tokens of their own, and some let an answer run over its limit a little.
const TOLERANCE = 1.1
const TOLERATED_OUTPUT_TOKENS = 64
// A supplier may put instructions of its own before the prompt. No token is shorter than a byte.
const TOLERATED_PROMPT_TOKENS = 10_000
// More than any model takes or gives.
const MAX_MODEL_TOKENS = 2_000_000
// More than any request can use, with all the tools that a supplier runs for it.
const MAX_TOKENS = 2_000_000_000

/** Whether a report can be true. */
function isPlausible(reported: Usage, { bounds, countedImages, inlineImages }: RequestEnd): boolean {
  if (reported.details?.isContradictory === true || !isPromptPlausible(reported, bounds)) return false
  // Only the supplier knows how many tokens an image takes.
  if (countedImages !== undefined || inlineImages) return reported.output <= MAX_TOKENS
  const { maxOutputTokens, modelOutputLimit, choices } = bounds
  const most = (modelOutputLimit ?? MAX_MODEL_TOKENS) * choices * TOLERANCE + TOLERATED_OUTPUT_TOKENS
  if (reported.output > most) return false
  if (maxOutputTokens === null) return true
  // Thinking may come on top of what the client allows, but not of what the model can do.
  const written = reported.output - reported.reasoning
  return written <= maxOutputTokens * choices * TOLERANCE + TOLERATED_OUTPUT_TOKENS
}

function isPromptPlausible(
  { input, cacheRead, cacheWrite, details }: Usage,
  { requestText, modelInputLimit, choices }: UsageBounds,
): boolean {
  // Tools that run at the supplier read pages and results, which are in no request.
  const toolCalls = details === undefined ? 0 : (details.webSearches ?? 0) + (details.codeExecutions ?? 0)
  if (toolCalls > 0) return input + cacheRead + cacheWrite <= MAX_TOKENS
  const most = modelInputLimit === null ? MAX_MODEL_TOKENS : modelInputLimit * TOLERANCE
  if (input + cacheRead + cacheWrite > most * choices) return false
  if (requestText === null) return true
  // What is cached may have been stored at the supplier before, and only be named in the request.
  const sent = (input + cacheWrite) / choices - TOLERATED_PROMPT_TOKENS
  return sent <= requestText.length || sent <= Buffer.byteLength(requestText)
}
