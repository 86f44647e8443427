import type { Usage } from '../../conversation/usage.ts'

/** Our own counts of an answer that did not come to its end. */
export interface OwnCounts {
  readonly estimatedPromptTokens: number
  /** A report of fewer is a placeholder for a prompt that was to follow. */
  readonly leastPromptTokens: number
  readonly countedOutputTokens: number
}

// The estimate of tokens is rarely further off. Within it, a report is taken to count everything that was delivered.
const ESTIMATE_ERROR = 1.25

/**
 * The report of an unfinished answer with our own counts where it is outdated or has none. The same report when nothing
 * is missing: what a supplier says while it answers is exact.
 */
export function fillReport(reported: Usage, counts: OwnCounts): Usage {
  const { estimatedPromptTokens: input, leastPromptTokens, countedOutputTokens } = counts
  const hasPrompt = reported.input + reported.cacheRead + reported.cacheWrite >= leastPromptTokens
  const hasOutput = reported.output * ESTIMATE_ERROR >= countedOutputTokens
  if (hasPrompt && hasOutput) return reported
  return {
    ...reported,
    ...(!hasPrompt && { input, cacheRead: 0, cacheWrite: 0 }),
    ...(!hasOutput && { output: countedOutputTokens }),
  }
}
