/** How many connections of clients there are, and what was done to keep them few enough. */
export interface ConnectionGauges {
  readonly open: number
  readonly max: number
  readonly dismissed: number
  readonly refusedByTotal: number
  readonly refusedByAddress: number
  /** How often no descriptor was left when this was looked at. */
  readonly descriptorShortages: number
}
