import type { AnswerEvent } from '../../../../conversation/answer-event.ts'
import type { ThinkingPart, ToolCallPart } from '../../../../conversation/part.ts'
import type { Proof } from '../../../../conversation/proof.ts'
import type { EventStep } from './translating-tap.ts'

/** Which thoughts are kept: most suppliers want only those back that they have signed. */
export type KeptThoughts = 'signed' | 'every'

/** The thoughts of a model before a call. */
export interface Thought {
  /** Thoughts before all output; suppliers want them back at the beginning of the turn. */
  readonly opening: readonly ThinkingPart[]
  /** Thoughts right before the call. */
  readonly before: readonly ThinkingPart[]
  /** The signature on the call itself. */
  readonly callProof: Proof | null
}

type Keep = (callId: string, thought: Thought) => void

/** Passes an answer through unchanged, and reports the thoughts before each call. */
export class ThoughtWatcher implements EventStep {
  readonly #keep: Keep
  readonly #kept: KeptThoughts
  readonly #choices = new Map<number, WatchedChoice>()

  constructor(keep: Keep, kept: KeptThoughts) {
    this.#keep = keep
    this.#kept = kept
  }

  push(event: AnswerEvent): readonly AnswerEvent[] {
    switch (event.type) {
      case 'part-start':
        startPart(this.#choice(event.choice), event.part)
        break
      case 'part-delta':
        addText(this.#choice(event.choice), event.text)
        break
      case 'part-proof':
        addProof(this.#choice(event.choice), event.proof)
        break
      case 'part-end':
        this.#endPart(this.#choice(event.choice))
        break
      default:
    }
    return [event]
  }

  #choice(index: number): WatchedChoice {
    const known = this.#choices.get(index)
    if (known !== undefined) return known
    const created: WatchedChoice = { opening: [], before: [], open: null, pieces: [] }
    this.#choices.set(index, created)
    return created
  }

  #endPart(choice: WatchedChoice): void {
    const { open, opening, before } = choice
    if (open?.type === 'thinking' && (this.#kept === 'every' || open.proof !== null)) {
      before.push({ ...open, text: open.text + choice.pieces.join('') })
    } else if (open?.type === 'tool-call') {
      const thought: Thought = { opening: opening ?? [], before, callProof: open.proof }
      if (thought.opening.length + before.length > 0 || open.proof !== null) this.#keep(open.id, thought)
      choice.opening = null
      choice.before = []
    }
    choice.open = null
    choice.pieces = []
  }
}

interface WatchedChoice {
  /** null after the first call, which takes it along. */
  opening: ThinkingPart[] | null
  before: ThinkingPart[]
  open: ThinkingPart | ToolCallPart | null
  pieces: string[]
}

function startPart(choice: WatchedChoice, part: (AnswerEvent & { type: 'part-start' })['part']): void {
  choice.open = part.type === 'thinking' || part.type === 'tool-call' ? part : null
  choice.pieces = []
  // Output follows these thoughts, so they are not the ones right before a call.
  if (choice.open !== null || choice.opening === null) return
  for (const thought of choice.before.splice(0)) choice.opening.push(thought)
}

function addText({ open, pieces }: WatchedChoice, text: string): void {
  if (open?.type === 'thinking') pieces.push(text)
}

function addProof(choice: WatchedChoice, proof: Proof): void {
  if (choice.open !== null) choice.open = { ...choice.open, proof }
}
