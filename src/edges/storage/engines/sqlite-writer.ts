import type { Parameter } from './database.ts'

// A text, so that it runs the same from sources and from the one file of a release. SQLite waits here for other
// writers, and for the disk when it moves what was written from its log into the file: none of it holds up a request.
const THREAD = `
const { Database } = require('bun:sqlite')
let connection
self.onmessage = ({ data: { number, path, sql, parameters } }) => {
  try {
    if (sql === null) {
      connection?.close()
      self.postMessage({ number, problem: null })
      return
    }
    if (connection === undefined) {
      connection = new Database(path, { readwrite: true, create: false, safeIntegers: true, strict: true })
      connection.run('pragma busy_timeout = 5000')
      connection.run('pragma synchronous = normal')
      connection.run('pragma foreign_keys = on')
    }
    connection.query(sql).all(...parameters)
    self.postMessage({ number, problem: null })
  } catch (error) {
    self.postMessage({ number, problem: String(error?.message ?? error) })
  }
}
`

// A gateway that stores something large now and then does not keep a thread for it.
const IDLE_MS = 30_000

interface WriterReply {
  readonly number: number
  readonly problem: string | null
}

/** Writes to a SQLite file on a thread and a connection of its own. */
export class SqliteWriter {
  readonly #path: string
  readonly #waiting = new Map<number, PromiseWithResolvers<void>>()
  #worker: Worker | null = null
  #idle: Timer | null = null
  #lastNumber = 0

  constructor(path: string) {
    this.#path = path
  }

  /** One statement, in a transaction of its own. */
  async write(sql: string, parameters: readonly Parameter[]): Promise<void> {
    if (this.#idle !== null) clearTimeout(this.#idle)
    this.#worker ??= this.#start()
    try {
      await this.#ask(this.#worker, sql, parameters)
    } finally {
      this.#rest()
    }
  }

  /** What is being written is finished first. Afterwards nothing touches the files any more. */
  async close(): Promise<void> {
    await Promise.allSettled([...this.#waiting.values()].map(({ promise }) => promise))
    await this.#end()
  }

  #start(): Worker {
    const address = URL.createObjectURL(new Blob([THREAD], { type: 'application/javascript' }))
    const worker = new Worker(address)
    worker.onmessage = ({ data }: MessageEvent<WriterReply>) => {
      const answer = this.#waiting.get(data.number)
      this.#waiting.delete(data.number)
      if (data.problem === null) answer?.resolve()
      else answer?.reject(new Error(data.problem))
    }
    worker.onerror = ({ message }) => this.#fail(worker, new Error(message))
    return worker
  }

  #ask(worker: Worker, sql: string | null, parameters: readonly Parameter[]): Promise<void> {
    // A process that has nothing else to do waits for what it is writing.
    worker.ref()
    this.#lastNumber += 1
    const answer = Promise.withResolvers<void>()
    this.#waiting.set(this.#lastNumber, answer)
    worker.postMessage({ number: this.#lastNumber, path: this.#path, sql, parameters })
    return answer.promise
  }

  #rest(): void {
    if (this.#waiting.size > 0 || this.#worker === null) return
    this.#worker.unref()
    if (this.#idle !== null) clearTimeout(this.#idle)
    this.#idle = setTimeout(() => void this.#end(), IDLE_MS)
    this.#idle.unref()
  }

  /** A thread that is only terminated lets go of its files some time later, and deletes the log as it does. */
  async #end(): Promise<void> {
    if (this.#idle !== null) clearTimeout(this.#idle)
    this.#idle = null
    const worker = this.#worker
    this.#worker = null
    if (worker === null) return
    // A connection that cannot be closed goes with its thread.
    await this.#ask(worker, null, []).catch(() => {})
    worker.terminate()
    // Another may have begun meanwhile, and found that somebody still waited for an answer.
    this.#rest()
  }

  #fail(worker: Worker, reason: Error): void {
    worker.terminate()
    if (this.#worker === worker) this.#worker = null
    for (const { reject } of this.#waiting.values()) reject(reason)
    this.#waiting.clear()
  }
}
