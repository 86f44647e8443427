import type { AnswerEvent } from '../../conversation/answer-event.ts'
import type { EventStep } from './event-step.ts'

/**
 * Ends an answer at a stop sequence for suppliers that know none. Text that might be the beginning of one is held
 * back until it is clear that it is not.
 */
export class StopScanner implements EventStep {
  readonly #sequences: readonly string[]
  /** Text held back per choice whose open part is text. */
  readonly #held = new Map<number, string>()
  hasStopped = false

  constructor(sequences: readonly string[]) {
    this.#sequences = sequences
  }

  push(event: AnswerEvent): readonly AnswerEvent[] {
    if (this.hasStopped) return []
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

  #scan(choice: number, text: string): AnswerEvent[] {
    const seen = (this.#held.get(choice) ?? '') + text
    const hit = this.#firstHit(seen)
    if (hit !== null) return this.#stop(choice, seen.slice(0, hit.at), hit.sequence)
    const keep = this.#possibleStart(seen)
    this.#held.set(choice, seen.slice(seen.length - keep))
    return delta(choice, seen.slice(0, seen.length - keep))
  }

  #stop(choice: number, text: string, sequence: string): AnswerEvent[] {
    this.hasStopped = true
    const finish = { reason: 'stop-sequence', stopSequence: sequence, explanation: null } as const
    return [
      ...delta(choice, text),
      { type: 'part-end', choice },
      { type: 'choice-end', choice, finish },
      { type: 'answer-end' },
    ]
  }

  #release(choice: number): AnswerEvent[] {
    const held = this.#held.get(choice)
    this.#held.delete(choice)
    return held === undefined ? [] : delta(choice, held)
  }

  #firstHit(text: string): { at: number; sequence: string } | null {
    let first: { at: number; sequence: string } | null = null
    for (const sequence of this.#sequences) {
      const at = text.indexOf(sequence)
      if (at >= 0 && (first === null || at < first.at)) first = { at, sequence }
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
