import type { Answer, AnswerChoice, AnswerPart } from './answer.ts'
import type { AnswerEvent } from './answer-event.ts'

/** Tells a whole answer as the events a stream of it would have had. `fold(unfold(answer))` is the answer. */
export function unfold(answer: Answer): AnswerEvent[] {
  const events: AnswerEvent[] = [{ type: 'answer-start', id: answer.id }]
  for (const choice of answer.choices) unfoldChoice(choice, events)
  if (answer.usage !== null) events.push({ type: 'usage', usage: answer.usage })
  events.push({ type: 'answer-end' })
  return events
}

function unfoldChoice(choice: AnswerChoice, events: AnswerEvent[]): void {
  const { index } = choice
  for (const part of choice.parts) unfoldPart(part, index, events)
  if (choice.logprobs !== null) {
    events.push({ type: 'part-logprobs', choice: index, logprobs: choice.logprobs })
  }
  events.push({ type: 'choice-end', choice: index, finish: choice.finish })
}

function unfoldPart(part: AnswerPart, choice: number, events: AnswerEvent[]): void {
  const { opening, text } = openPart(part)
  events.push({ type: 'part-start', choice, part: opening })
  if (text !== '') events.push({ type: 'part-delta', choice, text })
  if (part.type === 'text') {
    for (const citation of part.citations) events.push({ type: 'part-citation', choice, citation })
  }
  events.push({ type: 'part-end', choice })
}

/** A part as it opens, and the text that follows. Proofs stay with the opening: it is all known already. */
function openPart(part: AnswerPart): { opening: AnswerPart; text: string } {
  switch (part.type) {
    case 'text':
      return { opening: { ...part, text: '', citations: [] }, text: part.text }
    case 'thinking':
    case 'refusal':
      return { opening: { ...part, text: '' }, text: part.text }
    case 'tool-call':
      return { opening: { ...part, input: '' }, text: part.input }
    case 'image':
    case 'opaque':
      return { opening: part, text: '' }
  }
}
