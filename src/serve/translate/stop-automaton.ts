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
