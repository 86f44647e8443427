import pino from 'pino'
import type { AttemptLine, Log, RequestLine } from '../../serve/ports/log.ts'
import { scrub } from './scrub.ts'

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent'

/** Lines are gathered and written together: a write for each would cost more than the line. */
const BUFFER_BYTES = 16_000
const FLUSH_MS = 250
// The destination takes a line several times as long as it takes to add it to a text, so it gets many as one.
const GATHERED_CHARACTERS = 4_000
// When nobody reads the log, lines beyond this are dropped: a full pipe must neither stop requests nor fill memory.
const MAX_BUFFERED_BYTES = 4 * 1024 * 1024
const STANDARD_ERROR = 2
const FLUSH_PATIENCE_MS = 1_000

export interface PinoLog extends Log {
  /** Writes whole lines of another process among its own. */
  forward(lines: string): void
  /** Writes what is still buffered, before this process ends; gives up when nobody takes it. */
  flush(): Promise<void>
}

export function createLog(level: LogLevel, descriptor = STANDARD_ERROR): PinoLog {
  const destination = pino.destination({
    fd: descriptor,
    // A synchronous write to a full pipe would hold up every request until somebody reads.
    sync: false,
    minLength: level === 'debug' ? 0 : BUFFER_BYTES,
    maxLength: MAX_BUFFERED_BYTES,
  })
  const logger = pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, destination)
  const lines = new RequestLineWriter()
  const gathered = new GatheredLines(
    level === 'debug' ? 0 : GATHERED_CHARACTERS,
    (text) => void destination.write(text),
  )
  const isTellingRequests = logger.isLevelEnabled('info')
  setInterval(() => {
    gathered.send()
    destination.flush()
  }, FLUSH_MS).unref()
  // Every other line sends what was gathered before it, so that the log stays in order.
  const inOrder = () => {
    gathered.send()
    return logger
  }
  return {
    request: (line) => {
      if (isTellingRequests) gathered.add(lines.write(line, Date.now()))
    },
    attemptFailed: (line: AttemptLine) =>
      inOrder().warn({ ...line, failure: scrub(line.failure) }, 'attempt failed'),
    notice: (what, facts) => inOrder().info(facts ?? {}, what),
    trouble: (what, error, requestId) => inOrder().error({ ...describe(error), requestId }, what),
    forward: (lines) => {
      gathered.send()
      destination.write(lines)
    },
    flush: () => {
      gathered.send()
      return flushPatiently(destination)
    },
  }
}

type Destination = ReturnType<typeof pino.destination>

/** A synchronous flush, which pino makes at every exit, never ends when whoever read the log is gone. */
async function flushPatiently(destination: Destination): Promise<void> {
  const written = Promise.withResolvers<boolean>()
  destination.flush((problem) => written.resolve(problem === undefined || problem === null))
  const timer = setTimeout(() => written.resolve(false), FLUSH_PATIENCE_MS)
  const isWritten = await written.promise
  clearTimeout(timer)
  if (!isWritten) destination.flushSync = () => {}
}

/** Lines that wait to be written together. */
class GatheredLines {
  readonly #maxCharacters: number
  readonly #write: (text: string) => void
  #text = ''

  constructor(maxCharacters: number, write: (text: string) => void) {
    this.#maxCharacters = maxCharacters
    this.#write = write
  }

  add(line: string): void {
    this.#text += line
    if (this.#text.length >= this.#maxCharacters) this.send()
  }

  send(): void {
    if (this.#text === '') return
    this.#write(this.#text)
    this.#text = ''
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

const MAX_PATH_LENGTH = 200
const MAX_REMEMBERED_PATHS = 500
// The number other lines of this log carry for the level `info`.
const INFO_LEVEL = 30

/**
 * Writes the line every request leaves. Its shape never changes, so it is put together by hand: a general logger takes
 * several times as long, on every request.
 */
export class RequestLineWriter {
  readonly #paths = new Map<string, string>()
  #timeMs = Number.NaN
  #time = ''

  write({ requestId, method, path, status, durationMs }: RequestLine, nowMs: number): string {
    if (nowMs !== this.#timeMs) {
      this.#timeMs = nowMs
      this.#time = new Date(nowMs).toISOString()
    }
    return `{"level":${INFO_LEVEL},"time":"${this.#time}","requestId":"${requestId}","method":"${method}","path":${this.#quote(path)},"status":${status},"durationMs":${durationMs},"msg":"request"}\n`
  }

  /** Few paths make nearly all requests; what strangers make up must not fill memory. */
  #quote(path: string): string {
    const known = this.#paths.get(path)
    if (known !== undefined) return known
    const quoted = JSON.stringify(scrub(path.slice(0, MAX_PATH_LENGTH)))
    if (this.#paths.size < MAX_REMEMBERED_PATHS) this.#paths.set(path, quoted)
    return quoted
  }
}
