import type { Timers } from '../../../vocabulary/clock.ts'

// A process that is busy for a second sees one of these pass, and not the whole second: it could read no answer meanwhile.
const TICKS = 10

/**
 * Whether something was done before its time was over; what fails is not done. Only time in which this process could
 * have noticed counts, so that a burst of requests does not make a database look slow.
 */
export function isDoneWithin(work: Promise<unknown>, patienceMs: number, timers: Timers): Promise<boolean> {
  return new Promise((resolve) => {
    let ticksLeft = TICKS
    const tick = () => {
      ticksLeft -= 1
      if (ticksLeft === 0) resolve(false)
      else cancel = timers.after(patienceMs / TICKS, tick)
    }
    let cancel = timers.after(patienceMs / TICKS, tick)
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
