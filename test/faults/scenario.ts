/** What a scenario is given. */
export interface FaultContext {
  /** Numbers from 0 to 1, the same in every run with the same seed. */
  readonly random: () => number
  /** How much longer than usual to go on; 1 is usual. */
  readonly scale: number
  log(line: string): void
}

/** One long run against real processes. It throws when something does not hold. */
export interface FaultScenario {
  readonly name: string
  readonly about: string
  run(context: FaultContext): Promise<void>
}

/** A whole number from 0 up to, and without, the bound. */
export function pick({ random }: Pick<FaultContext, 'random'>, bound: number): number {
  return Math.floor(random() * bound)
}
