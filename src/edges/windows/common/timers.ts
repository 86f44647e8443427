/** Passed in, so that tests decide when time passes. */
export interface Timers {
  /** Gives what calls it off. */
  after(delayMs: number, run: () => void): () => void
}

export const systemTimers: Timers = {
  after(delayMs, run) {
    const timer = setTimeout(run, delayMs)
    return () => clearTimeout(timer)
  },
}

/** Whether something was done before its time was over; what fails is not done. */
export function isDoneWithin(work: Promise<unknown>, patienceMs: number, timers: Timers): Promise<boolean> {
  return new Promise((resolve) => {
    const cancel = timers.after(patienceMs, () => resolve(false))
    const end = (isDone: boolean) => {
      cancel()
      resolve(isDone)
    }
    work.then(
      () => end(true),
      () => end(false),
    )
  })
}
