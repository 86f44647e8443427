import type { AttemptLine, Log, RequestLine } from '../../src/serve/ports/log.ts'

/** A log that prints nothing and keeps its entries. */
export interface CollectedLog extends Log {
  readonly requests: readonly RequestLine[]
  readonly failedAttempts: readonly AttemptLine[]
  readonly notices: readonly string[]
  /** What went wrong inside, as text; empty after a good run. */
  readonly troubles: readonly string[]
}

export function createCollectedLog(): CollectedLog {
  const requests: RequestLine[] = []
  const failedAttempts: AttemptLine[] = []
  const notices: string[] = []
  const troubles: string[] = []
  return {
    requests,
    failedAttempts,
    notices,
    troubles,
    request: (line) => void requests.push(line),
    attemptFailed: (line) => void failedAttempts.push(line),
    notice: (what) => void notices.push(what),
    trouble: (what, error) =>
      void troubles.push(`${what}: ${error instanceof Error ? error.message : String(error)}`),
  }
}
