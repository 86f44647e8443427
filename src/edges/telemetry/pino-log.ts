import pino from 'pino'
import type { AttemptLine, Log, RequestLine } from '../../serve/ports/log.ts'
import { scrub } from './scrub.ts'

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent'

/** Lines are buffered and written together: a write for each would cost more than the line. */
const BUFFER_BYTES = 16_000
const FLUSH_MS = 250
// Passing a line to the destination takes several times as long as appending it to a string, so it gets many at once.
const GATHERED_CHARACTERS = 4_000
// When the log is not read, lines beyond this are dropped: a full pipe must neither stop requests nor fill memory.
const MAX_BUFFERED_BYTES = 4 * 1024 * 1024
const STANDARD_ERROR = 2
const FLUSH_PATIENCE_MS = 1_000

export interface PinoLog extends Log {
  /** Writes complete lines of another process. */
  forward(lines: string): void
  /** Writes what is still buffered, before this process ends. Gives up when the log is not read. */
  flush(): Promise<void>
}

export function createLog(level: LogLevel, descriptor = STANDARD_ERROR): PinoLog {
  const destination = pino.destination({
    fd: descriptor,
    // A synchronous write to a full pipe would block every request until the pipe is read.
    sync: false,
    minLength: level === 'debug' ? 0 : BUFFER_BYTES,
    maxLength: MAX_BUFFERED_BYTES,
  })
  const logger = pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, destination)
  const requestLines = new RequestLines(
    level === 'debug' ? 0 : GATHERED_CHARACTERS,
    (text) => void destination.write(text),
  )
  const logsRequests = logger.isLevelEnabled('info')
  setInterval(() => {
    requestLines.flush()
    destination.flush()
  }, FLUSH_MS).unref()
  // Every other line writes the gathered request lines first, so that the log stays in order.
  const inOrder = () => {
    requestLines.flush()
    return logger
  }
  return {
    request: (line) => {
      if (logsRequests) requestLines.add(line, Date.now())
    },
    attemptFailed: (line: AttemptLine) =>
      inOrder().warn({ ...line, failure: scrub(line.failure) }, 'attempt failed'),
    notice: (what, facts) => inOrder().info(facts ?? {}, what),
    trouble: (what, error, requestId) => inOrder().error({ ...describe(error), requestId }, what),
    forward: (lines) => {
      requestLines.flush()
      destination.write(lines)
    },
    flush: () => {
      requestLines.flush()
      return flushPatiently(destination)
    },
  }
}

type Destination = ReturnType<typeof pino.destination>

/** Pino flushes synchronously at every exit, which would never end when the reader of the log is gone. */
async function flushPatiently(destination: Destination): Promise<void> {
  const written = Promise.withResolvers<boolean>()
  destination.flush((problem) => written.resolve(problem === undefined || problem === null))
  const timer = setTimeout(() => written.resolve(false), FLUSH_PATIENCE_MS)
  const isWritten = await written.promise
  clearTimeout(timer)
  if (!isWritten) destination.flushSync = () => {}
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

const MAX_PATH_LENGTH = 200
const MAX_REMEMBERED_PATHS = 500
// Pino's number of the level `info`.
const INFO_LEVEL = 30

/**
 * Formats the log lines of requests and writes them together. Their shape never changes, so they are formatted by hand:
 * a general logger takes several times as long, on every request.
 */
export class RequestLines {
  readonly #maxCharacters: number
  readonly #write: (text: string) => void
  readonly #paths = new Map<string, string>()
  #text = ''
  #timeMs = Number.NaN
  #time = ''

  /** Writes when `maxCharacters` are gathered. */
  constructor(maxCharacters: number, write: (text: string) => void) {
    this.#maxCharacters = maxCharacters
    this.#write = write
  }

  add({ requestId, method, path, status, durationMs }: RequestLine, nowMs: number): void {
    if (nowMs !== this.#timeMs) {
      this.#timeMs = nowMs
      this.#time = new Date(nowMs).toISOString()
    }
    const quotedPath = this.#paths.get(path) ?? this.#quote(path)
    this.#text += `{"level":${INFO_LEVEL},"time":"${this.#time}","requestId":"${requestId}","method":"${method}","path":${quotedPath},"status":${status},"durationMs":${durationMs},"msg":"request"}\n`
    if (this.#text.length >= this.#maxCharacters) this.flush()
  }

  /** Writes what was gathered. */
  flush(): void {
    if (this.#text === '') return
    this.#write(this.#text)
    this.#text = ''
  }

  /** Remembers the usual paths only: paths that clients make up must not fill memory. */
  #quote(path: string): string {
    const quoted = JSON.stringify(scrub(path.slice(0, MAX_PATH_LENGTH)))
    if (this.#paths.size < MAX_REMEMBERED_PATHS) this.#paths.set(path, quoted)
    return quoted
  }
}
