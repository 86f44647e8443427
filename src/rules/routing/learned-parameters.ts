import type { Clock } from '../../vocabulary/clock.ts'

export interface LearningBounds {
  /** How long a refusal is believed: models and suppliers change. */
  readonly keptMs: number
  /** Pairs of supplier and model. */
  readonly mostModels: number
  readonly mostParametersPerModel: number
}

const BOUNDS: LearningBounds = {
  keptMs: 24 * 60 * 60 * 1_000,
  mostModels: 2_000,
  mostParametersPerModel: 16,
}

interface Lesson {
  readonly parameters: readonly string[]
  readonly expiresAtMs: number
}

const NOTHING: readonly string[] = []

/**
 * Which parameters a model at a supplier has refused, so that later requests leave them out at once. Forgotten after a
 * day as a whole: a model that refuses two may by then take both.
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

  /** How many models anything is known of. */
  get size(): number {
    return this.#models
  }

  note(supplierId: string, upstreamModel: string, parameter: string): void {
    const known = this.of(supplierId, upstreamModel)
    if (known.includes(parameter) || known.length >= this.#bounds.mostParametersPerModel) return
    const expiresAtMs = this.#find(supplierId, upstreamModel)?.expiresAtMs
    this.#forget(supplierId, upstreamModel)
    if (this.#models >= this.#bounds.mostModels) this.#forgetOldest()
    const ofSupplier = this.#lessons.get(supplierId) ?? new Map<string, Lesson>()
    this.#lessons.set(supplierId, ofSupplier)
    ofSupplier.set(upstreamModel, {
      parameters: [...known, parameter],
      expiresAtMs: expiresAtMs ?? this.#clock.nowMs() + this.#bounds.keptMs,
    })
    this.#models++
  }

  of(supplierId: string, upstreamModel: string): readonly string[] {
    return this.#find(supplierId, upstreamModel)?.parameters ?? NOTHING
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
    // The first of each map is the one that was put in first.
    for (const [supplierId, ofSupplier] of this.#lessons) {
      for (const upstreamModel of ofSupplier.keys()) {
        this.#forget(supplierId, upstreamModel)
        return
      }
    }
  }
}
