import type { LimitsGenerations, NodeNotices } from '../../../serve/ports/shared-limits.ts'
import type { Clock, Timers } from '../../../vocabulary/clock.ts'

export interface GenerationParts {
  readonly sharedLimits: LimitsGenerations & Pick<NodeNotices, 'publish'>
  readonly clock: Clock
  readonly timers: Timers
  readonly newGeneration: () => string
  /** With `isFresh`, includes nodes that started just now. */
  readonly listLivingNodes: (isFresh?: boolean) => Promise<readonly string[]>
  /** How long to wait for a live node that does not join. */
  readonly leaseMs: number
  /** Reports all holds of this node. */
  readonly assertEverything: () => Promise<void>
}

const FIRST_LOOK_MS = 10
const LAST_LOOK_MS = 500

/**
 * An emptied limits store has lost the holds of every node. All nodes report them before any account is loaded, because
 * an account loaded without them would admit requests as if nothing were under way.
 */
export class LimitsGeneration {
  readonly #parts: GenerationParts
  /** The generation that calls name. It differs from the joined one while this node is reporting its holds. */
  #current = ''
  #joined: string | null = null
  #joining: Promise<void> | null = null
  /** The generation in which accounts may be loaded. */
  #complete: string | null = null
  #completing: Promise<string> | null = null

  constructor(parts: GenerationParts) {
    this.#parts = parts
  }

  get current(): string {
    return this.#current
  }

  hasJoined(generation: string): boolean {
    return this.#joined === generation
  }

  /** Resolves when this node has joined the generation of the limits store; begins one if there is none. */
  join(): Promise<void> {
    this.#joining ??= this.#join().finally(() => {
      this.#joining = null
    })
    return this.#joining
  }

  /** null until this node has joined one. */
  get joined(): string | null {
    return this.#joined
  }

  /** Whether accounts could be loaded in any generation so far. */
  get hasCompleted(): boolean {
    return this.#complete !== null
  }

  /**
   * Resolves when every live node has joined too, with the generation they joined: this node may be in a later one by the
   * time the caller continues.
   */
  complete(): Promise<string> {
    if (this.#complete !== null && this.#complete === this.#current) return Promise.resolve(this.#complete)
    this.#completing ??= this.#awaitOthers().finally(() => {
      this.#completing = null
    })
    return this.#completing
  }

  async #join(): Promise<void> {
    const { sharedLimits, assertEverything } = this.#parts
    const generation = (await sharedLimits.generation()) ?? (await this.#begin())
    if (generation === this.#joined) return
    this.#current = generation
    await assertEverything()
    await sharedLimits.joinGeneration(generation)
    this.#joined = generation
  }

  async #begin(): Promise<string> {
    const { sharedLimits, newGeneration } = this.#parts
    const generation = await sharedLimits.beginGeneration(newGeneration())
    await sharedLimits.publish({ type: 'generation', generation })
    return generation
  }

  async #awaitOthers(): Promise<string> {
    const { clock, leaseMs, timers } = this.#parts
    let awaited = ''
    let startedAtMs = clock.nowMs()
    let lookMs = FIRST_LOOK_MS
    for (;;) {
      await this.join()
      const generation = this.#current
      // Emptied again: the other nodes get a full lease again.
      if (generation !== awaited) {
        awaited = generation
        startedAtMs = clock.nowMs()
        lookMs = FIRST_LOOK_MS
      }
      // A live node that cannot reach the store enforces its own share, so the others stop waiting after its lease.
      if ((await this.#haveAllJoined(generation)) || clock.nowMs() - startedAtMs >= leaseMs) {
        this.#complete = generation
        return generation
      }
      await new Promise<void>((resolve) => timers.after(lookMs, resolve))
      lookMs = Math.min(LAST_LOOK_MS, lookMs * 2)
    }
  }

  async #haveAllJoined(generation: string): Promise<boolean> {
    const { sharedLimits, listLivingNodes } = this.#parts
    // A node that started just before the store was emptied may already have holds.
    const awaited = (await sharedLimits.listAwaited()) ?? (await listLivingNodes(true))
    const joined = new Set(await sharedLimits.listJoined(generation))
    return awaited.every((nodeId) => joined.has(nodeId))
  }
}
