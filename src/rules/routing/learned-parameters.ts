import type { Clock } from '../../vocabulary/clock.ts'

export interface LearningBounds {
  /** How long a refusal is remembered. Models and suppliers change. */
  readonly keptMs: number
  /** Pairs of supplier and model. */
  readonly maxModels: number
  readonly maxRefusalsPerModel: number
}

/** A parameter that a model refuses, or one value of it. */
export interface RefusedParameter {
  readonly name: string
  /** JSON text; null for any value. */
  readonly value: string | null
}

const BOUNDS: LearningBounds = {
  keptMs: 24 * 60 * 60 * 1_000,
  maxModels: 2_000,
  maxRefusalsPerModel: 16,
}

interface Lesson {
  readonly refusals: readonly RefusedParameter[]
  readonly expiresAtMs: number
}

const NOTHING: readonly RefusedParameter[] = []
// Longer values differ with every request, so remembering them does not help.
const MAX_VALUE_LENGTH = 100

/**
 * Remembers which parameters a supplier's model has refused, so that later requests omit them. Everything about a model
 * is forgotten after a day, because the model may accept them by then.
 */
export class LearnedParameters {
  readonly #clock: Clock
  readonly #bounds: LearningBounds
  /** By supplier, then by the model's name there. */
  readonly #lessons = new Map<string, Map<string, Lesson>>()
  #models = 0

  constructor(clock: Clock, bounds: LearningBounds = BOUNDS) {
    this.#clock = clock
    this.#bounds = bounds
  }

  /** The number of models with a remembered refusal. */
  get size(): number {
    return this.#models
  }

  note(supplierId: string, upstreamModel: string, refusal: RefusedParameter): void {
    const known = this.of(supplierId, upstreamModel)
    const isKnown = known.some(
      ({ name, value }) => name === refusal.name && [null, refusal.value].includes(value),
    )
    if (isKnown || (refusal.value?.length ?? 0) > MAX_VALUE_LENGTH) return
    const expiresAtMs = this.#find(supplierId, upstreamModel)?.expiresAtMs
    this.#forget(supplierId, upstreamModel)
    if (this.#models >= this.#bounds.maxModels) this.#forgetOldest()
    const ofSupplier = this.#lessons.get(supplierId) ?? new Map<string, Lesson>()
    this.#lessons.set(supplierId, ofSupplier)
    ofSupplier.set(upstreamModel, {
      refusals: [...known, refusal].slice(-this.#bounds.maxRefusalsPerModel),
      expiresAtMs: expiresAtMs ?? this.#clock.nowMs() + this.#bounds.keptMs,
    })
    this.#models++
  }

  of(supplierId: string, upstreamModel: string): readonly RefusedParameter[] {
    // Most models have refused nothing.
    const lesson = this.#models === 0 ? null : this.#find(supplierId, upstreamModel)
    return lesson?.refusals ?? NOTHING
  }

  #find(supplierId: string, upstreamModel: string): Lesson | null {
    const lesson = this.#lessons.get(supplierId)?.get(upstreamModel)
    if (lesson === undefined) return null
    if (lesson.expiresAtMs > this.#clock.nowMs()) return lesson
    this.#forget(supplierId, upstreamModel)
    return null
  }

  #forget(supplierId: string, upstreamModel: string): void {
    const ofSupplier = this.#lessons.get(supplierId)
    if (ofSupplier?.delete(upstreamModel)) this.#models--
    if (ofSupplier?.size === 0) this.#lessons.delete(supplierId)
  }

  #forgetOldest(): void {
    // Maps iterate in insertion order.
    for (const [supplierId, ofSupplier] of this.#lessons) {
      for (const upstreamModel of ofSupplier.keys()) {
        this.#forget(supplierId, upstreamModel)
        return
      }
    }
  }
}
