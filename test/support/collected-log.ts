import type { AttemptLine, Log, RequestLine } from '../../src/serve/ports/log.ts'

/** A log that prints nothing and keeps its entries. */
export interface CollectedLog extends Log {
  readonly requests: readonly RequestLine[]
  readonly failedAttempts: readonly AttemptLine[]
  /** What went wrong inside, as text; empty after a good run. */
  readonly troubles: readonly string[]
}

export function createCollectedLog(): CollectedLog {
  const requests: RequestLine[] = []
  const failedAttempts: AttemptLine[] = []
  const troubles: string[] = []
  return {
    requests,
    failedAttempts,
    troubles,
    request: (line) => void requests.push(line),
    attemptFailed: (line) => void failedAttempts.push(line),
    notice: () => undefined,
    trouble: (what, error) =>
      void troubles.push(`${what}: ${error instanceof Error ? error.message : String(error)}`),
  }
}
