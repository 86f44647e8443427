/** The number of client connections, and what was done to limit it. */
export interface ConnectionGauges {
  readonly open: number
  readonly max: number
  /** How many of the open ones are WebSockets. */
  readonly webSockets: number
  readonly dismissed: number
  readonly refusedByTotal: number
  readonly refusedByAddress: number
  /** How often a check found no descriptor left. */
  readonly descriptorShortages: number
}
