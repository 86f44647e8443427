import pino from 'pino'
import type { AttemptLine, Log, RequestLine } from '../../gateway/ports/log.ts'
import { scrub } from './scrub.ts'

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent'

/** Lines are gathered and written together: a write for each would cost more than the line. */
const BUFFER_BYTES = 4_096
const FLUSH_MS = 250

export interface PinoLog extends Log {
  flush(): void
}

export function createLog(level: LogLevel): PinoLog {
  const destination = pino.destination({ fd: 2, sync: true, minLength: level === 'debug' ? 0 : BUFFER_BYTES })
  const logger = pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, destination)
  const timer = setInterval(() => destination.flush(), FLUSH_MS)
  timer.unref()
  return {
    request: (line: RequestLine) => logger.info({ ...line, path: scrub(line.path) }, 'request'),
    attemptFailed: (line: AttemptLine) =>
      logger.warn({ ...line, failure: scrub(line.failure) }, 'attempt failed'),
    notice: (what, facts) => logger.info(facts ?? {}, what),
    trouble: (what, error, requestId) => logger.error({ ...describe(error), requestId }, what),
    flush: () => destination.flushSync(),
  }
}

function describe(error: unknown): { error: string; cause?: string } {
  if (!(error instanceof Error)) return { error: scrub(String(error)) }
  const described = { error: scrub(error.stack ?? error.message) }
  if (error.cause === undefined) return described
  const { cause } = error
  return {
    ...described,
    cause: scrub(cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)),
  }
}
