/** Passed in everywhere time matters, so that tests decide what time it is. */
export interface Clock {
  /** UTC epoch milliseconds. */
  nowMs(): number
}
