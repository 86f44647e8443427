import type { Answer, AnswerPart } from '../../../../conversation/answer.ts'
import { NO_USAGE, type Usage } from '../../../../conversation/usage.ts'
import { tokensOfCharacters } from '../../../../rules/limits/window.ts'

/**
 * The usage for the client when the supplier reports none: every format promises these figures, and zeros would look
 * like an answer that cost nothing. The charge is counted by script, which takes the whole text, at the settlement.
 */
export function estimateUsage(promptTokens: number, outputCharacters: number): Usage {
  return countedUsage(promptTokens, tokensOfCharacters(outputCharacters))
}

export function countedUsage(promptTokens: number, outputTokens: number): Usage {
  return { ...NO_USAGE, input: promptTokens, output: outputTokens }
}

/** The answer with its usage, estimated when the supplier reports none. */
export function withUsage(answer: Answer, promptTokens: number): Answer {
  if (answer.usage !== null) return answer
  return { ...answer, usage: estimateUsage(promptTokens, countOutput(answer)) }
}

/** Characters of everything generated: what is charged when the supplier reports no usage. */
export function countOutput(answer: Answer): number {
  let characters = 0
  for (const choice of answer.choices) {
    for (const part of choice.parts) characters += charactersOf(part)
  }
  return characters
}

export function countImages(answer: Answer): number {
  let images = 0
  for (const { parts } of answer.choices) for (const { type } of parts) if (type === 'image') images += 1
  return images
}

export function charactersOf(part: AnswerPart): number {
  return textOf(part).length
}

/** Everything in a part that was generated as text. */
export function textOf(part: AnswerPart): string {
  switch (part.type) {
    case 'text':
    case 'thinking':
    case 'refusal':
      return part.text
    case 'tool-call':
      return part.name + part.input
    case 'image':
    case 'opaque':
      return ''
  }
}
