import type { Answer } from '../../conversation/answer.ts'
import { addUsage, type Usage } from '../../conversation/usage.ts'

/** Several answers to one question as the choices of one answer; what they used adds up. */
export function mergeAnswers(answers: readonly Answer[]): Answer {
  const [first] = answers
  if (first === undefined) return { id: '', choices: [], usage: null }
  if (answers.length === 1) return first
  const choices = answers.flatMap((answer, index) =>
    answer.choices.slice(0, 1).map((choice) => ({ ...choice, index })),
  )
  return { id: first.id, choices, usage: sumUsage(answers) }
}

/** null as soon as one is unknown: a sum with a gap would look exact. */
function sumUsage(answers: readonly Answer[]): Usage | null {
  let total: Usage | null = null
  for (const { usage } of answers) {
    if (usage === null) return null
    total = total === null ? usage : addUsage(total, usage)
  }
  return total
}
