import type { LimitsGenerations, NodeNotices } from '../../../serve/ports/shared-limits.ts'
import type { Clock, Timers } from '../../../vocabulary/clock.ts'

export interface GenerationParts {
  readonly sharedLimits: LimitsGenerations & Pick<NodeNotices, 'publish'>
  readonly clock: Clock
  readonly timers: Timers
  readonly newGeneration: () => string
  /** `isFresh`: those that started just now are among them. */
  readonly listLivingNodes: (isFresh?: boolean) => Promise<readonly string[]>
  /** How long a node that lives and does not join is waited for. */
  readonly leaseMs: number
  /**
   * Whether nodes outlive the memory they share. Workers do not outlive their parent, so whatever an earlier parent's
   * workers still hold will never be reported to this one, and waiting for it would only delay a restart.
   */
  readonly outlivesLimits?: boolean
  /** Tells the limits store everything this node holds. */
  readonly assertEverything: () => Promise<void>
}

const FIRST_LOOK_MS = 10
const LAST_LOOK_MS = 500

/**
 * A limits store that was emptied has forgotten the holds of every node. It is told them anew before any account is loaded
 * into it, because an account that is loaded without them would be admitted to as if nothing were under way.
 */
export class LimitsGeneration {
  readonly #parts: GenerationParts
  /** The one that calls are made in; another than the joined one while this node still tells its holds. */
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

  /** Resolves when this node has joined the generation of the limits store, which it begins if there is none. */
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

  /** Whether there has been a generation in which accounts could be loaded. */
  get hasCompleted(): boolean {
    return this.#complete !== null
  }

  /**
   * Resolves when every living node has joined as well, with the generation they have joined: by the time anybody hears
   * of it, this node may be in a later one.
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
      // Emptied once more: the others have their lease anew.
      if (generation !== awaited) {
        awaited = generation
        startedAtMs = clock.nowMs()
        lookMs = FIRST_LOOK_MS
      }
      // A node that lives and cannot reach the limits store judges by its share; the others need not wait for it for ever.
      if ((await this.#haveAllJoined(generation)) || clock.nowMs() - startedAtMs >= leaseMs) {
        this.#complete = generation
        return generation
      }
      await new Promise<void>((resolve) => timers.after(lookMs, resolve))
      lookMs = Math.min(LAST_LOOK_MS, lookMs * 2)
    }
  }

  async #haveAllJoined(generation: string): Promise<boolean> {
    const { sharedLimits, listLivingNodes, outlivesLimits = true } = this.#parts
    if (!outlivesLimits) return true
    // One that started a moment before the limits store was emptied may hold something already.
    const living = await listLivingNodes(true)
    const joined = new Set(await sharedLimits.listJoined(generation))
    return living.every((nodeId) => joined.has(nodeId))
  }
}
