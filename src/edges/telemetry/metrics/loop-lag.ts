// Often enough to find a busy loop, seldom enough to let an idle process sleep.
const INTERVAL_MS = 500

/** Measures how late timers are, which is how long something else kept the event loop busy. */
export function watchLoopLag(note: (seconds: number) => void): { stop(): void } {
  let lastMs = performance.now()
  const timer = setInterval(() => {
    const nowMs = performance.now()
    note(Math.max(0, nowMs - lastMs - INTERVAL_MS) / 1_000)
    lastMs = nowMs
  }, INTERVAL_MS)
  timer.unref()
  return { stop: () => clearInterval(timer) }
}
