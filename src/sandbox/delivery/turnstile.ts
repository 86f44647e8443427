/** Lets only so many in at once; the others wait in the order they came. */
export type Turnstile = <T>(work: () => Promise<T>) => Promise<T>

export function createTurnstile(places: number): Turnstile {
  const waiting: (() => void)[] = []
  let taken = 0
  return async (work) => {
    if (taken === places) await new Promise<void>((resolve) => waiting.push(resolve))
    else taken += 1
    try {
      return await work()
    } finally {
      // The place is handed on rather than given back, so that nobody who comes now can slip in between.
      const next = waiting.shift()
      if (next === undefined) taken -= 1
      else next()
    }
  }
}
