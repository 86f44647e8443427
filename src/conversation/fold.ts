import type { Answer, AnswerChoice, AnswerPart, Finish, TokenLogprob } from './answer.ts'
import { finishOf } from './answer.ts'
import type { AnswerEvent } from './answer-event.ts'
import type { Usage } from './usage.ts'

interface OpenChoice {
  readonly parts: AnswerPart[]
  open: AnswerPart | null
  /** Joined once at the end: appending to a growing text for every delta would cost its length each time. */
  pieces: string[]
  logprobs: TokenLogprob[] | null
  finish: Finish | null
}

/** Gathers the events of a stream into the answer they tell. */
export class AnswerFolder {
  #id = ''
  #usage: Usage | null = null
  readonly #choices = new Map<number, OpenChoice>()

  push(event: AnswerEvent): void {
    switch (event.type) {
      case 'answer-start':
        this.#id = event.id
        return
      case 'usage':
        this.#usage = event.usage
        return
      case 'answer-end':
        return
      default:
        pushToChoice(this.#choice(event.choice), event)
    }
  }

  answer(): Answer {
    const choices = [...this.#choices]
      .sort(([one], [other]) => one - other)
      .map(([index, open]) => closeChoice(index, open))
    return { id: this.#id, choices, usage: this.#usage }
  }

  #choice(index: number): OpenChoice {
    const known = this.#choices.get(index)
    if (known !== undefined) return known
    const created: OpenChoice = { parts: [], open: null, pieces: [], logprobs: null, finish: null }
    this.#choices.set(index, created)
    return created
  }
}

type ChoiceEvent = Exclude<AnswerEvent, { type: 'answer-start' | 'usage' | 'answer-end' }>

function pushToChoice(choice: OpenChoice, event: ChoiceEvent): void {
  switch (event.type) {
    case 'part-start':
      choice.open = event.part
      choice.pieces = []
      return
    case 'part-delta':
      choice.pieces.push(event.text)
      return
    case 'part-proof':
      if (choice.open !== null && 'proof' in choice.open) choice.open = { ...choice.open, proof: event.proof }
      return
    case 'part-citation':
      if (choice.open?.type === 'text') {
        choice.open = { ...choice.open, citations: [...choice.open.citations, event.citation] }
      }
      return
    case 'part-logprobs':
      choice.logprobs = [...(choice.logprobs ?? []), ...event.logprobs]
      return
    case 'part-end':
      closePart(choice)
      return
    case 'choice-end':
      choice.finish = event.finish
  }
}

function closePart(choice: OpenChoice): void {
  if (choice.open !== null) choice.parts.push(withText(choice.open, choice.pieces.join('')))
  choice.open = null
  choice.pieces = []
}

function withText(part: AnswerPart, text: string): AnswerPart {
  switch (part.type) {
    case 'text':
    case 'thinking':
    case 'refusal':
      return { ...part, text: part.text + text }
    case 'tool-call':
      return { ...part, input: part.input + text }
    case 'image':
    case 'opaque':
      return part
  }
}

function closeChoice(index: number, choice: OpenChoice): AnswerChoice {
  closePart(choice)
  return { index, parts: choice.parts, finish: choice.finish ?? finishOf('other'), logprobs: choice.logprobs }
}

export function fold(events: Iterable<AnswerEvent>): Answer {
  const folder = new AnswerFolder()
  for (const event of events) folder.push(event)
  return folder.answer()
}
