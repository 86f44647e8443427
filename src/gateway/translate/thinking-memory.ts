import type { AnswerEvent } from '../../conversation/answer-event.ts'
import type { Conversation, Turn } from '../../conversation/conversation.ts'
import type { Part, ThinkingPart, ToolCallPart } from '../../conversation/part.ts'
import type { Proof } from '../../conversation/proof.ts'
import type { Clock } from '../../vocabulary/clock.ts'
import type { EventStep } from './event-step.ts'

/** What a model had thought when it made a call. */
interface Thought {
  readonly parts: readonly ThinkingPart[]
  readonly callProof: Proof | null
  readonly expiresAtMs: number
}

const KEPT_MS = 6 * 60 * 60 * 1_000
const MOST_THOUGHTS = 20_000

/**
 * Remembers signed thoughts by account and call id for a few hours. Some client formats have no field for them, and
 * suppliers refuse the next turn of a tool loop without them.
 */
export class ThinkingMemory {
  readonly #clock: Clock
  /** Oldest first: a Map keeps the order of insertion. */
  readonly #thoughts = new Map<string, Thought>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Watches an answer and keeps what it thought before each call. */
  watch(accountId: string): EventStep {
    return new ThoughtWatcher((callId, parts, callProof) =>
      this.#keep(`${accountId}:${callId}`, parts, callProof),
    )
  }

  /** The conversation with remembered thoughts put back before calls that came back without any. */
  restore(accountId: string, conversation: Conversation): Conversation {
    if (this.#thoughts.size === 0) return conversation
    return { ...conversation, turns: conversation.turns.map((turn) => this.#restoreTurn(accountId, turn)) }
  }

  #restoreTurn(accountId: string, turn: Turn): Turn {
    if (turn.role !== 'assistant') return turn
    const hasProof = turn.parts.some((part) => part.type === 'thinking' && part.proof !== null)
    const parts: Part[] = []
    let isRestored = hasProof
    for (const part of turn.parts) {
      const thought = part.type === 'tool-call' ? this.#find(`${accountId}:${part.id}`) : null
      if (part.type !== 'tool-call' || thought === null) {
        parts.push(part)
        continue
      }
      if (!isRestored) parts.push(...thought.parts)
      isRestored = true
      parts.push({ ...part, proof: part.proof ?? thought.callProof })
    }
    return { ...turn, parts: isRestored && !hasProof ? withoutBareThoughts(parts) : parts }
  }

  #find(key: string): Thought | null {
    const thought = this.#thoughts.get(key)
    return thought !== undefined && thought.expiresAtMs > this.#clock.nowMs() ? thought : null
  }

  #keep(key: string, parts: readonly ThinkingPart[], callProof: Proof | null): void {
    this.#thoughts.delete(key)
    this.#thoughts.set(key, { parts, callProof, expiresAtMs: this.#clock.nowMs() + KEPT_MS })
    for (const oldest of this.#thoughts.keys()) {
      if (this.#thoughts.size <= MOST_THOUGHTS) break
      this.#thoughts.delete(oldest)
    }
  }
}

/** The client's own copy of a thought has lost its signature; the remembered one takes its place. */
function withoutBareThoughts(parts: readonly Part[]): Part[] {
  return parts.filter((part) => part.type !== 'thinking' || part.proof !== null)
}

type Keep = (callId: string, parts: readonly ThinkingPart[], callProof: Proof | null) => void

class ThoughtWatcher implements EventStep {
  readonly #keep: Keep
  readonly #thoughts: ThinkingPart[] = []
  #open: { part: ThinkingPart; pieces: string[] } | null = null
  #call: ToolCallPart | null = null

  constructor(keep: Keep) {
    this.#keep = keep
  }

  push(event: AnswerEvent): readonly AnswerEvent[] {
    switch (event.type) {
      case 'part-start':
        this.#open = event.part.type === 'thinking' ? { part: event.part, pieces: [] } : null
        this.#call = event.part.type === 'tool-call' ? event.part : null
        break
      case 'part-delta':
        this.#open?.pieces.push(event.text)
        break
      case 'part-proof':
        this.#noteProof(event.proof)
        break
      case 'part-end':
        this.#endPart()
        break
      default:
    }
    return [event]
  }

  #noteProof(proof: Proof): void {
    if (this.#open !== null) this.#open.part = { ...this.#open.part, proof }
    if (this.#call !== null) this.#call = { ...this.#call, proof }
  }

  #endPart(): void {
    if (this.#open !== null && this.#open.part.proof !== null) {
      this.#thoughts.push({ ...this.#open.part, text: this.#open.part.text + this.#open.pieces.join('') })
    }
    if (this.#call !== null && (this.#thoughts.length > 0 || this.#call.proof !== null)) {
      this.#keep(this.#call.id, [...this.#thoughts], this.#call.proof)
    }
    this.#open = null
    this.#call = null
  }
}
