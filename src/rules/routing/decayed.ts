/** A count with exponential decay: an event one half-life ago counts half. */
export class DecayedCount {
  readonly #halfLifeMs: number
  #count = 0
  #atMs = 0

  constructor(halfLifeMs: number) {
    this.#halfLifeMs = halfLifeMs
  }

  add(amount: number, nowMs: number): void {
    this.#count = this.at(nowMs) + amount
    this.#atMs = nowMs
  }

  raiseTo(count: number, nowMs: number): void {
    if (count > this.at(nowMs)) {
      this.#count = count
      this.#atMs = nowMs
    }
  }

  at(nowMs: number): number {
    return this.#count === 0 ? 0 : this.#count * fading(nowMs - this.#atMs, this.#halfLifeMs)
  }
}

/** A mean with exponential decay: a value one half-life ago weighs half. */
export class DecayedMean {
  readonly #halfLifeMs: number
  #sum = 0
  #weight = 0
  #atMs = 0

  constructor(halfLifeMs: number) {
    this.#halfLifeMs = halfLifeMs
  }

  add(value: number, nowMs: number): void {
    const kept = fading(nowMs - this.#atMs, this.#halfLifeMs)
    this.#sum = this.#sum * kept + value
    this.#weight = this.#weight * kept + 1
    this.#atMs = nowMs
  }

  reset(): void {
    this.#sum = 0
    this.#weight = 0
  }

  /** null when nothing was ever added. */
  get mean(): number | null {
    return this.#weight === 0 ? null : this.#sum / this.#weight
  }

  /** How many recent values stand behind the mean. */
  weightAt(nowMs: number): number {
    return this.#weight === 0 ? 0 : this.#weight * fading(nowMs - this.#atMs, this.#halfLifeMs)
  }

  /** The mean, pulled towards an assumption; the older or fewer the values, the stronger the pull. */
  leaningTo(assumed: Assumption, nowMs: number): number {
    if (this.#weight === 0) return assumed.value
    const kept = fading(nowMs - this.#atMs, this.#halfLifeMs)
    return (this.#sum * kept + assumed.value * assumed.weight) / (this.#weight * kept + assumed.weight)
  }
}

export interface Assumption {
  readonly value: number
  readonly weight: number
}

// A clock that steps back must not make the past count more than the present.
function fading(elapsedMs: number, halfLifeMs: number): number {
  return elapsedMs <= 0 ? 1 : 2 ** (-elapsedMs / halfLifeMs)
}
