/** What a scenario is given. */
export interface FaultContext {
  readonly seed: number
  /** Numbers from 0 to 1, the same in every run with the same seed. */
  readonly random: () => number
  /** How much longer than usual to go on; 1 is usual. */
  readonly scale: number
  log(line: string): void
}

/** One long run against real processes. It throws when something was lost, wrongly charged or wrongly answered. */
export interface FaultScenario {
  readonly name: string
  readonly about: string
  /** Why it cannot run here; null when it can. */
  readonly whyNot?: () => string | null
  run(context: FaultContext): Promise<void>
}

/** A whole number from 0 up to, and without, the bound. */
export function pick({ random }: Pick<FaultContext, 'random'>, bound: number): number {
  return Math.floor(random() * bound)
}

/** Mulberry32: small, and the same everywhere. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
