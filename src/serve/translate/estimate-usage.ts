import type { Answer } from '../../conversation/answer.ts'
import { NO_USAGE, type Usage } from '../../conversation/usage.ts'
import { tokensOfCharacters } from '../../rules/limits/estimate.ts'
import { countOutput } from './count-output.ts'

/**
 * What a client is told when its supplier reports nothing: every format promises these figures, and zeros would look
 * like an answer that cost nothing. What is charged is decided elsewhere, from the same counts.
 */
export function estimateUsage(promptTokens: number, outputCharacters: number): Usage {
  return { ...NO_USAGE, input: promptTokens, output: tokensOfCharacters(outputCharacters) }
}

/** The answer as a client is told it. */
export function withUsage(answer: Answer, promptTokens: number): Answer {
  if (answer.usage !== null) return answer
  return { ...answer, usage: estimateUsage(promptTokens, countOutput(answer)) }
}
