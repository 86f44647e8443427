import type { Answer, AnswerPart } from '../../conversation/answer.ts'

/** Characters of everything generated: what is charged when the supplier reports no usage. */
export function countOutput(answer: Answer): number {
  let characters = 0
  for (const choice of answer.choices) {
    for (const part of choice.parts) characters += charactersOf(part)
  }
  return characters
}

export function charactersOf(part: AnswerPart): number {
  switch (part.type) {
    case 'text':
    case 'thinking':
    case 'refusal':
      return part.text.length
    case 'tool-call':
      return part.name.length + part.input.length
    case 'image':
    case 'opaque':
      return 0
  }
}
