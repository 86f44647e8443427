/** Redis did not answer within the deadline. The call may or may not have been carried out. */
export class LimitsSilent extends Error {
  override readonly name = 'LimitsSilent'

  constructor(deadlineMs: number) {
    super(`Redis did not answer within ${deadlineMs} ms.`)
  }
}

/** There is no connection, or it was lost before the answer arrived. */
export class LimitsAway extends Error {
  override readonly name = 'LimitsAway'
}

/** Redis answered with an error: it is loading, out of memory, a replica, or denies the command. */
export class LimitsRefused extends Error {
  override readonly name = 'LimitsRefused'
}
