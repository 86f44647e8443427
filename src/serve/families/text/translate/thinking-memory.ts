import type { Conversation, Turn } from '../../../../conversation/conversation.ts'
import type { Part, ThinkingPart } from '../../../../conversation/part.ts'
import type { Clock } from '../../../../vocabulary/clock.ts'
import { AgingMap } from '../../../../vocabulary/runtime/aging-map.ts'
import { type KeptThoughts, type Thought, ThoughtWatcher } from './thought-watcher.ts'
import type { EventStep } from './translating-tap.ts'

export interface MemoryBounds {
  readonly keptMs: number
  readonly mostThoughts: number
  /** Of all thoughts and signatures together. */
  readonly mostCharacters: number
}

const BOUNDS: MemoryBounds = {
  keptMs: 6 * 60 * 60 * 1_000,
  mostThoughts: 20_000,
  mostCharacters: 64 * 1_024 * 1_024,
}

interface KeptThought {
  readonly thought: Thought
  readonly characters: number
  readonly expiresAtMs: number
}

/** Where thoughts are kept for other nodes as well. Nothing here fails: at worst nothing is found. */
export interface ThoughtStore {
  save(accountId: string, callId: string, text: string): void
  /** In the order of the ids; null for each that is missing. */
  find(accountId: string, callIds: readonly string[]): Promise<readonly (string | null)[]>
}

export interface MemoryParts {
  readonly bounds?: MemoryBounds
  /** Absent where there is no other node. */
  readonly store?: ThoughtStore | undefined
}

/**
 * Remembers thoughts by account and call id for a few hours. Some client formats have no field for them, and suppliers
 * refuse the next turn of a tool loop without them.
 */
export class ThinkingMemory {
  readonly #clock: Clock
  readonly #bounds: MemoryBounds
  readonly #store: ThoughtStore | null
  readonly #kept = new AgingMap<string, KeptThought>()
  #characters = 0

  constructor(clock: Clock, { bounds = BOUNDS, store }: MemoryParts = {}) {
    this.#clock = clock
    this.#bounds = bounds
    this.#store = store ?? null
  }

  get size(): number {
    return this.#kept.size
  }

  /** Watches an answer and stores the thoughts before each call. */
  watch(accountId: string, kept: KeptThoughts = 'signed'): EventStep {
    return new ThoughtWatcher((callId, thought) => {
      this.#keep(keyOf(accountId, callId), thought)
      this.#store?.save(accountId, callId, JSON.stringify(thought))
    }, kept)
  }

  /** The conversation with remembered thoughts put back where calls came back without them. */
  async restore(accountId: string, conversation: Conversation): Promise<Conversation> {
    if (this.#store !== null) await this.#fetchMissing(this.#store, accountId, conversation)
    if (this.#kept.size === 0) return conversation
    const recall = (callId: string) => this.#find(keyOf(accountId, callId))
    return { ...conversation, turns: conversation.turns.map((turn) => restoreTurn(turn, recall)) }
  }

  /** What was thought on another node. */
  async #fetchMissing(store: ThoughtStore, accountId: string, conversation: Conversation): Promise<void> {
    const missing = callsWithoutProof(conversation).filter(
      (callId) => this.#find(keyOf(accountId, callId)) === null,
    )
    if (missing.length === 0) return
    const found = await store.find(accountId, missing)
    for (const [index, callId] of missing.entries()) {
      const text = found[index] ?? null
      if (text !== null) this.#keep(keyOf(accountId, callId), JSON.parse(text))
    }
  }

  #find(key: string): Thought | null {
    const kept = this.#kept.get(key)
    return kept !== undefined && kept.expiresAtMs > this.#clock.nowMs() ? kept.thought : null
  }

  #keep(key: string, thought: Thought): void {
    const nowMs = this.#clock.nowMs()
    const characters = charactersOf(thought)
    this.#forget(key)
    this.#kept.set(key, { thought, characters, expiresAtMs: nowMs + this.#bounds.keptMs })
    this.#characters += characters
    for (let oldest = this.#kept.oldest; oldest !== null; oldest = this.#kept.oldest) {
      if (oldest.value.expiresAtMs > nowMs && !this.#isFull) break
      this.#forget(oldest.key)
    }
  }

  get #isFull(): boolean {
    return this.#kept.size > this.#bounds.mostThoughts || this.#characters > this.#bounds.mostCharacters
  }

  #forget(key: string): void {
    this.#characters -= this.#kept.get(key)?.characters ?? 0
    this.#kept.delete(key)
  }
}

function callsWithoutProof({ turns }: Conversation): string[] {
  return turns.flatMap((turn) =>
    turn.role !== 'assistant'
      ? []
      : turn.parts.flatMap((part) => (part.type === 'tool-call' && part.proof === null ? [part.id] : [])),
  )
}

function keyOf(accountId: string, callId: string): string {
  return `${accountId}:${callId}`
}

function charactersOf({ opening, before, callProof }: Thought): number {
  const ofParts = [...opening, ...before].map(({ text, proof }) => text.length + (proof?.value.length ?? 0))
  return ofParts.reduce((sum, length) => sum + length, callProof?.value.length ?? 0)
}

type Recall = (callId: string) => Thought | null

function restoreTurn(turn: Turn, recall: Recall): Turn {
  if (turn.role !== 'assistant') return turn
  const thoughts = new Map<Part, Thought>()
  for (const part of turn.parts) {
    const thought = part.type === 'tool-call' ? recall(part.id) : null
    if (thought !== null) thoughts.set(part, thought)
  }
  if (thoughts.size === 0) return turn
  // A client that carries signed thoughts itself, or all that there were, knows better than the memory where they belong.
  if (carriesThoughts(turn, thoughts)) {
    return { ...turn, parts: turn.parts.map((part) => withProof(part, thoughts.get(part))) }
  }
  return { ...turn, parts: withThoughts(turn.parts, thoughts) }
}

function carriesThoughts({ parts }: Turn, thoughts: ReadonlyMap<Part, Thought>): boolean {
  if (parts.some(isSigned)) return true
  const remembered = [...thoughts.values()].flatMap(({ opening, before }) => [...opening, ...before])
  return !remembered.some(isSigned) && parts.some(({ type }) => type === 'thinking')
}

function withThoughts(parts: readonly Part[], thoughts: ReadonlyMap<Part, Thought>): Part[] {
  const opening = [...thoughts.values()].flatMap((thought) => thought.opening)
  const restored = parts.flatMap((part) => {
    const thought = thoughts.get(part)
    return [...(thought?.before ?? []), withProof(part, thought)]
  })
  const all: readonly Part[] = [...opening, ...restored]
  // The client's own copy of a thought has lost its signature; the remembered one takes its place.
  const isReplaced = all.some(isSigned)
  return isReplaced ? all.filter((part) => part.type !== 'thinking' || part.proof !== null) : [...all]
}

function isSigned(part: Part): part is ThinkingPart {
  return part.type === 'thinking' && part.proof !== null
}

function withProof(part: Part, thought: Thought | undefined): Part {
  if (part.type !== 'tool-call' || thought === undefined || part.proof !== null) return part
  return { ...part, proof: thought.callProof }
}
