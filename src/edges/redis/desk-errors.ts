/** Redis was asked and gave no sign of life within the deadline. What was asked may have happened or not. */
export class DeskSilent extends Error {
  override readonly name = 'DeskSilent'

  constructor(deadlineMs: number) {
    super(`Redis gave no answer for ${deadlineMs} ms.`)
  }
}

/** There is no connection, or it was lost before the answer came. */
export class DeskAway extends Error {
  override readonly name = 'DeskAway'
}

/** Redis answered that it cannot do this now: it is loading, out of memory, a replica, or denies the command. */
export class DeskRefused extends Error {
  override readonly name = 'DeskRefused'
}
