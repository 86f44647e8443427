import {
  type Answer,
  type AnswerChoice,
  type AnswerPart,
  type Finish,
  finishOf,
  type TokenLogprob,
} from './answer.ts'
import type { AnswerEvent } from './answer-event.ts'
import type { Citation } from './part.ts'
import type { Usage } from './usage.ts'

interface OpenChoice {
  readonly parts: AnswerPart[]
  open: AnswerPart | null
  /** Joined once at the end: appending to a growing text for every delta would cost its length each time. */
  pieces: string[]
  /** Further citations of the open part; added once at the end, for the same reason. */
  citations: Citation[]
  logprobs: TokenLogprob[] | null
  finish: Finish | null
}

/** Builds an answer from the events of a stream. */
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
    const created: OpenChoice = {
      parts: [],
      open: null,
      pieces: [],
      citations: [],
      logprobs: null,
      finish: null,
    }
    this.#choices.set(index, created)
    return created
  }
}

type ChoiceEvent = Exclude<AnswerEvent, { type: 'answer-start' | 'usage' | 'answer-end' }>

function pushToChoice(choice: OpenChoice, event: ChoiceEvent): void {
  switch (event.type) {
    case 'part-start':
      openPart(choice, event.part)
      return
    case 'part-delta':
      choice.pieces.push(event.text)
      return
    case 'part-proof':
      if (choice.open !== null && 'proof' in choice.open) choice.open = { ...choice.open, proof: event.proof }
      return
    case 'part-citation':
      choice.citations.push(event.citation)
      return
    case 'part-logprobs':
      choice.logprobs ??= []
      for (const logprob of event.logprobs) choice.logprobs.push(logprob)
      return
    case 'part-end':
      closePart(choice)
      return
    case 'choice-end':
      choice.finish = event.finish
  }
}

function openPart(choice: OpenChoice, part: AnswerPart | null): void {
  choice.open = part
  choice.pieces = []
  choice.citations = []
}

function closePart(choice: OpenChoice): void {
  if (choice.open !== null) choice.parts.push(wholePart(choice.open, choice))
  openPart(choice, null)
}

function wholePart(part: AnswerPart, { pieces, citations }: OpenChoice): AnswerPart {
  const text = pieces.join('')
  switch (part.type) {
    case 'text':
      return { ...part, text: part.text + text, citations: joinLists(part.citations, citations) }
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

function joinLists<Item>(first: readonly Item[], second: readonly Item[]): readonly Item[] {
  return second.length === 0 ? first : [...first, ...second]
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

/** Converts an answer to the events of a stream. `fold(unfold(answer))` equals the answer. */
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
  const { opening, text } = splitPart(part)
  events.push({ type: 'part-start', choice, part: opening })
  if (text !== '') events.push({ type: 'part-delta', choice, text })
  if (part.type === 'text') {
    for (const citation of part.citations) events.push({ type: 'part-citation', choice, citation })
  }
  events.push({ type: 'part-end', choice })
}

/** Splits a part into its opening event and its text. Proofs stay in the opening. */
function splitPart(part: AnswerPart): { opening: AnswerPart; text: string } {
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
