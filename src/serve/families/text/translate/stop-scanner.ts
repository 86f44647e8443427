import type { AnswerEvent } from '../../../../conversation/answer-event.ts'
import type { EventStep } from './translating-tap.ts'

export interface StopScannerParts {
  readonly sequences: readonly string[]
  /**
   * The number of choices in a stream. When the last of them is cut, the stream is over and the supplier can stop.
   * null for a whole reply, which keeps what follows its choices.
   */
  readonly streamedChoices: number | null
}

/**
 * Ends each choice at its first stop sequence, for suppliers that do not support them. Text that may be the beginning of
 * one is held back until it is clear.
 */
export class StopScanner implements EventStep {
  readonly #automaton: StopAutomaton
  readonly #streamedChoices: number | null
  /** Per choice whose open part is text. */
  readonly #held = new Map<number, HeldText>()
  readonly #cut = new Set<number>()

  constructor({ sequences, streamedChoices }: StopScannerParts) {
    this.#automaton = new StopAutomaton(sequences)
    this.#streamedChoices = streamedChoices
  }

  push(event: AnswerEvent): readonly AnswerEvent[] {
    if (this.#isOver || ('choice' in event && this.#cut.has(event.choice))) return []
    switch (event.type) {
      case 'part-start':
        if (event.part.type === 'text')
          this.#held.set(event.choice, { node: 0, pieces: [], first: 0, length: 0 })
        return [event]
      case 'part-delta':
        return this.#scan(event)
      case 'part-end':
        return [...this.#release(event.choice), event]
      default:
        return [event]
    }
  }

  get #isOver(): boolean {
    return this.#cut.size === this.#streamedChoices
  }

  /**
   * Stops at the sequence that is complete first, as it would be for a model that looks after every character; of
   * several that end together at the longest. So the result does not depend on where a stream happens to be cut.
   */
  #scan(event: AnswerEvent & { type: 'part-delta' }): readonly AnswerEvent[] {
    const { choice, text } = event
    const held = this.#held.get(choice)
    if (held === undefined) return [event]
    for (let at = 0; at < text.length; at += 1) {
      held.node = this.#automaton.step(held.node, text.charCodeAt(at))
      const sequence = this.#automaton.completedAt(held.node)
      if (sequence === null) continue
      const said = held.length + at + 1 - sequence.length
      return this.#stop(choice, takeText(held, text, said), sequence)
    }
    const released = held.length + text.length - this.#automaton.heldAt(held.node)
    return released === text.length && held.length === 0
      ? [event]
      : delta(choice, takeText(held, text, released))
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
    return held === undefined ? [] : delta(choice, held.pieces.slice(held.first).join(''))
  }
}

/** Text held back because it may be the beginning of a sequence. */
interface HeldText {
  node: number
  /** In order of arrival; those before `first` have been forwarded. */
  pieces: string[]
  first: number
  length: number
}

// Removing pieces one by one would move all others each time.
const MAX_GONE_PIECES = 64

/** The first so many characters of what is held and of the text that follows it; the rest is held. */
function takeText(held: HeldText, text: string, count: number): string {
  held.pieces.push(text)
  held.length += text.length - count
  let taken = ''
  while (taken.length < count) {
    const piece = held.pieces[held.first] ?? ''
    const missing = count - taken.length
    taken += piece.slice(0, missing)
    if (piece.length > missing) held.pieces[held.first] = piece.slice(missing)
    else held.first += 1
  }
  if (held.first > MAX_GONE_PIECES && held.first * 2 > held.pieces.length) {
    held.pieces = held.pieces.slice(held.first)
    held.first = 0
  }
  return taken
}

function delta(choice: number, text: string): AnswerEvent[] {
  return text === '' ? [] : [{ type: 'part-delta', choice, text }]
}

/** Characters are 16 bits wide, so that a node and a character make one number. */
const CHARACTERS = 65_536
const ROOT = 0

/**
 * All stop sequences as one machine that takes a text character by character (Aho and Corasick): however many sequences
 * there are and however the text is cut, each character is looked at once.
 */
export class StopAutomaton {
  /** Children by node and character. */
  readonly #next = new Map<number, number>()
  /** By node: how many characters lead to it, the node of its longest ending that begins a sequence, and what it completes. */
  readonly #depths: number[] = [0]
  readonly #fallbacks: number[] = [ROOT]
  readonly #completed: (string | null)[] = [null]

  constructor(sequences: readonly string[]) {
    for (const sequence of sequences) if (sequence !== '') this.#add(sequence)
    this.#linkEndings()
  }

  /** The node that a character leads to. Begin with 0. */
  step(from: number, character: number): number {
    let node = from
    let next = this.#next.get(node * CHARACTERS + character)
    while (next === undefined && node !== ROOT) {
      node = this.#fallbacks[node] ?? ROOT
      next = this.#next.get(node * CHARACTERS + character)
    }
    return next ?? ROOT
  }

  /** The longest sequence that ends here; null when none does. */
  completedAt(node: number): string | null {
    return this.#completed[node] ?? null
  }

  /** How many of the last characters may be the beginning of a sequence. */
  heldAt(node: number): number {
    return this.#depths[node] ?? 0
  }

  #add(sequence: string): void {
    let node = ROOT
    for (let at = 0; at < sequence.length; at += 1) {
      const key = node * CHARACTERS + sequence.charCodeAt(at)
      const next = this.#next.get(key) ?? this.#depths.length
      if (next === this.#depths.length) this.#open(key, at + 1)
      node = next
    }
    this.#completed[node] = sequence
  }

  #open(key: number, depth: number): void {
    this.#next.set(key, this.#depths.length)
    this.#depths.push(depth)
    this.#fallbacks.push(ROOT)
    this.#completed.push(null)
  }

  /** Nodes nearer to the root come first: their endings are needed for those of the others. */
  #linkEndings(): void {
    const edges = [...this.#next].sort(([, one], [, other]) => this.heldAt(one) - this.heldAt(other))
    for (const [key, node] of edges) {
      const parent = Math.floor(key / CHARACTERS)
      const fallback = parent === ROOT ? ROOT : this.step(this.#fallbacks[parent] ?? ROOT, key % CHARACTERS)
      this.#fallbacks[node] = fallback
      this.#completed[node] ??= this.completedAt(fallback)
    }
  }
}
