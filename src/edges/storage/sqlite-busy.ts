const PATIENCE_MS = 5000
const PAUSE_MS = 5

/**
 * Tries again while another connection holds the write lock. SQLite's own waiting would block the event loop,
 * and with it the very transaction waited for when that one belongs to this process.
 */
export async function whenFree<Result>(attempt: () => Result): Promise<Result> {
  const giveUpAtMs = performance.now() + PATIENCE_MS
  for (;;) {
    try {
      return attempt()
    } catch (error) {
      if (!isBusy(error) || performance.now() > giveUpAtMs) throw error
    }
    await pauseBusy()
  }
}

export function isBusy(error: unknown): boolean {
  return (
    error instanceof Error &&
    'code' in error &&
    typeof error.code === 'string' &&
    error.code.startsWith('SQLITE_BUSY')
  )
}

export function pauseBusy(): Promise<void> {
  return Bun.sleep(PAUSE_MS)
}
