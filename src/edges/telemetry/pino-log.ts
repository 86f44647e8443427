import pino from 'pino'
import type { AttemptLine, Log, RequestLine } from '../../serve/ports/log.ts'
import { LEVEL_NUMBERS, QuotedTexts, requestLevel, requestMembers } from './request-fields.ts'
import { scrub } from './scrub.ts'

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent'

/**
 * Request lines are gathered and written together: a write for each would cost more than the line. They are gathered
 * here because the destination would count the bytes of all it has at every line.
 */
const GATHERED_CHARACTERS = 32_000
const FLUSH_MS = 250
// When the log is not read, lines beyond this are dropped: a full pipe must neither stop requests nor fill memory.
const MAX_BUFFERED_BYTES = 4 * 1024 * 1024
const STANDARD_ERROR = 2
const FLUSH_PATIENCE_MS = 1_000

export interface PinoLog extends Log {
  /** Writes complete lines of another process. The bytes must not change afterwards. */
  forward(lines: Uint8Array): void
  /** Writes what is still buffered, before this process ends. Gives up when the log is not read. */
  flush(): Promise<void>
}

export interface LogSettings {
  readonly logLevel: LogLevel
  /** `auto`: pretty on a terminal, JSON elsewhere. */
  readonly logFormat: 'auto' | 'pretty' | 'json'
}

export interface LogOptions {
  readonly descriptor?: number
  /** Turns each line into what people read; absent: lines stay JSON. */
  readonly prettify?: ((line: string) => string) | undefined
  /** The slot of this worker, which all its lines name; absent: the process is no worker. */
  readonly slot?: number
}

/** How every line begins that a log has written as JSON. */
export const LINE_START = '{"level":'

export function createLog(level: LogLevel, options: LogOptions = {}): PinoLog {
  const { descriptor = STANDARD_ERROR, prettify, slot } = options
  const destination = pino.destination({
    fd: descriptor,
    // A synchronous write to a full pipe would block every request until the pipe is read.
    sync: false,
    // Not zero: with that, it would say that everything is written before it is.
    minLength: 1,
    maxLength: MAX_BUFFERED_BYTES,
    // Lines of workers are bytes and stay bytes.
    contentMode: 'buffer',
  })
  const writeBytes = (lines: Uint8Array) => void Reflect.apply(destination.write, destination, [lines])
  const write = (lines: string) =>
    writeBytes(Buffer.from(prettify === undefined ? lines : prettyLines(lines, prettify)))
  const base = slot === undefined ? null : { worker: slot }
  const logger = pino({ level, base, timestamp: pino.stdTimeFunctions.isoTime }, { write })
  const isBuffered = level !== 'debug' && prettify === undefined
  const requestLines = new RequestLines(isBuffered ? GATHERED_CHARACTERS : 0, write, slot)
  const leastLevel = LEVEL_NUMBERS[level]
  // Only while lines wait: a timer that never ends, and the empty writes of a flush, would keep an idle process awake.
  let isFlushDue = false
  const flushSoon = () => {
    if (isFlushDue) return
    isFlushDue = true
    const flush = () => {
      isFlushDue = false
      requestLines.flush()
    }
    setTimeout(flush, FLUSH_MS).unref()
  }
  // Every other line writes the gathered request lines first, so that the log stays in order.
  const inOrder = () => {
    requestLines.flush()
    return logger
  }
  return {
    request: (line) => {
      const lineLevel = LEVEL_NUMBERS[requestLevel(line)]
      if (lineLevel < leastLevel) return
      requestLines.add(line, lineLevel, Date.now())
      flushSoon()
    },
    attemptFailed: (line) => inOrder().warn(attemptFields(line), 'attempt failed'),
    notice: (what, facts) => inOrder().info(facts ?? {}, what),
    trouble: (what, error, requestId) => inOrder().error({ ...describeError(error), requestId }, what),
    forward: (lines) => {
      requestLines.flush()
      if (prettify === undefined) writeBytes(lines)
      else write(Buffer.from(lines).toString())
    },
    flush: () => {
      requestLines.flush()
      return flushPatiently(destination)
    },
  }
}

/** The log of a process that people may watch on a terminal. */
export async function openLog({ logLevel, logFormat }: LogSettings): Promise<PinoLog> {
  const isPretty = logFormat === 'pretty' || (logFormat === 'auto' && process.stderr.isTTY === true)
  return createLog(logLevel, { prettify: isPretty ? await loadPrettifier() : undefined })
}

function prettyLines(lines: string, prettify: (line: string) => string): string {
  return lines
    .split('\n')
    .map((line) => (line === '' ? '' : prettify(line)))
    .join('')
}

/** Loaded only where it is used. A worker thread, which pino uses for it otherwise, would start with every process. */
export async function loadPrettifier(): Promise<(line: string) => string> {
  const { prettyFactory } = await import('pino-pretty')
  return prettyFactory({ colorize: true, translateTime: 'SYS:HH:MM:ss.l', singleLine: true })
}

/** The fields of a line about a failed attempt. */
export function attemptFields({ trace, failure, ...line }: AttemptLine) {
  return {
    ...line,
    failure: scrub(failure),
    ...(trace !== undefined && { traceId: trace.traceId, spanId: trace.spanId }),
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

/** The fields of an error, without secrets. */
export function describeError(error: unknown): { error: string; cause?: string } {
  if (!(error instanceof Error)) return { error: scrub(String(error)) }
  const described = { error: scrub(error.stack ?? error.message) }
  if (error.cause === undefined) return described
  const { cause } = error
  return {
    ...described,
    cause: scrub(cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)),
  }
}

const SECOND_MS = 1_000

/** Gathers the log lines of requests and writes them together. */
export class RequestLines {
  readonly #maxCharacters: number
  readonly #write: (text: string) => void
  readonly #texts = new QuotedTexts()
  readonly #worker: string
  #text = ''
  #second = Number.NaN
  #secondText = ''

  /** Writes when `maxCharacters` are gathered. */
  constructor(maxCharacters: number, write: (text: string) => void, slot?: number) {
    this.#maxCharacters = maxCharacters
    this.#write = write
    this.#worker = slot === undefined ? '' : `"worker":${slot},`
  }

  add(line: RequestLine, level: number, nowMs: number): void {
    this.#text += `${LINE_START}${level},"time":"${this.#time(nowMs)}",${this.#worker}${requestMembers(line, this.#texts)},"msg":"request"}\n`
    if (this.#text.length >= this.#maxCharacters) this.flush()
  }

  /** Writes what was gathered. */
  flush(): void {
    if (this.#text === '') return
    this.#write(this.#text)
    this.#text = ''
  }

  /** Only the milliseconds differ from line to line, for a second. */
  #time(nowMs: number): string {
    const second = Math.floor(nowMs / SECOND_MS)
    if (second !== this.#second) {
      this.#second = second
      this.#secondText = new Date(second * SECOND_MS).toISOString().slice(0, -'000Z'.length)
    }
    const rest = nowMs - second * SECOND_MS
    return `${this.#secondText}${rest < 10 ? '00' : rest < 100 ? '0' : ''}${rest}Z`
  }
}
