/** Redis was asked and gave no sign of life within the deadline. What was asked may have happened or not. */
export class LimitsSilent extends Error {
  override readonly name = 'LimitsSilent'

  constructor(deadlineMs: number) {
    super(`Redis gave no answer for ${deadlineMs} ms.`)
  }
}

/** There is no connection, or it was lost before the answer came. */
export class LimitsAway extends Error {
  override readonly name = 'LimitsAway'
}

/** Redis answered that it cannot do this now: it is loading, out of memory, a replica, or denies the command. */
export class LimitsRefused extends Error {
  override readonly name = 'LimitsRefused'
}
