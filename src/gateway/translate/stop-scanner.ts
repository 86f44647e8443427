import type { AnswerEvent } from '../../conversation/answer-event.ts'
import type { EventStep } from './event-step.ts'

export interface StopScannerParts {
  readonly sequences: readonly string[]
  /**
   * How many choices a stream gives: with the last of them cut it is over, and the supplier need not go on.
   * null for a whole reply, which keeps what follows its choices.
   */
  readonly streamedChoices: number | null
}

/**
 * Ends each choice at its first stop sequence, for suppliers that know none. Text that might be the beginning of one
 * is held back until it is clear that it is not.
 */
export class StopScanner implements EventStep {
  readonly #sequences: readonly string[]
  readonly #streamedChoices: number | null
  /** Text held back per choice whose open part is text. */
  readonly #held = new Map<number, string>()
  readonly #cut = new Set<number>()

  constructor({ sequences, streamedChoices }: StopScannerParts) {
    this.#sequences = sequences.filter((sequence) => sequence !== '')
    this.#streamedChoices = streamedChoices
  }

  push(event: AnswerEvent): readonly AnswerEvent[] {
    if (this.#isOver || ('choice' in event && this.#cut.has(event.choice))) return []
    switch (event.type) {
      case 'part-start':
        if (event.part.type === 'text') this.#held.set(event.choice, '')
        return [event]
      case 'part-delta':
        return this.#held.has(event.choice) ? this.#scan(event.choice, event.text) : [event]
      case 'part-end':
        return [...this.#release(event.choice), event]
      default:
        return [event]
    }
  }

  get #isOver(): boolean {
    return this.#cut.size === this.#streamedChoices
  }

  #scan(choice: number, text: string): AnswerEvent[] {
    const seen = (this.#held.get(choice) ?? '') + text
    const hit = this.#firstHit(seen)
    if (hit !== null) return this.#stop(choice, seen.slice(0, hit.at), hit.sequence)
    const keep = this.#possibleStart(seen)
    this.#held.set(choice, seen.slice(seen.length - keep))
    return delta(choice, seen.slice(0, seen.length - keep))
  }

  #stop(choice: number, text: string, sequence: string): AnswerEvent[] {
    this.#cut.add(choice)
    const finish = { reason: 'stop-sequence', stopSequence: sequence, explanation: null } as const
    const events: AnswerEvent[] = [
      ...delta(choice, text),
      { type: 'part-end', choice },
      { type: 'choice-end', choice, finish },
    ]
    if (this.#isOver) events.push({ type: 'answer-end' })
    return events
  }

  #release(choice: number): AnswerEvent[] {
    const held = this.#held.get(choice)
    this.#held.delete(choice)
    return held === undefined ? [] : delta(choice, held)
  }

  /**
   * The sequence that is complete first, as it would be for a model that looks after every character; of several
   * that end together the longest. So the result does not depend on where a stream happens to be cut.
   */
  #firstHit(text: string): { at: number; sequence: string } | null {
    let first: { at: number; end: number; sequence: string } | null = null
    for (const sequence of this.#sequences) {
      const at = text.indexOf(sequence)
      const end = at + sequence.length
      const isFirst = first === null || end < first.end || (end === first.end && at < first.at)
      if (at >= 0 && isFirst) first = { at, end, sequence }
    }
    return first
  }

  /** How many of the last characters may be the beginning of a sequence. */
  #possibleStart(text: string): number {
    let longest = 0
    for (const sequence of this.#sequences) {
      for (let length = Math.min(sequence.length - 1, text.length); length > longest; length -= 1) {
        if (text.endsWith(sequence.slice(0, length))) longest = length
      }
    }
    return longest
  }
}

function delta(choice: number, text: string): AnswerEvent[] {
  return text === '' ? [] : [{ type: 'part-delta', choice, text }]
}
