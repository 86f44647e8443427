import type { MaybePromise } from '../../../vocabulary/runtime/maybe-promise.ts'
import type { Parameter } from './database.ts'

// A text, so that it runs the same from sources and from the one file of a release. SQLite waits here for other
// writers, and for the disk when it moves what was written from its log into the file: none of it holds up a request.
const THREAD = `
const { Database } = require('bun:sqlite')
const prepared = new Map()
let connection
const open = (path) => {
  connection = new Database(path, { readwrite: true, create: false, safeIntegers: true, strict: true })
  connection.run('pragma busy_timeout = 5000')
  connection.run('pragma synchronous = normal')
  connection.run('pragma foreign_keys = on')
  connection.run('pragma temp_store = memory')
}
const close = () => {
  for (const statement of prepared.values()) statement.finalize()
  connection?.close()
}
const run = (sql, parameters) => {
  // Some settings change when their statement is prepared, so those must not stay prepared.
  if (sql.startsWith('pragma ')) return connection.run(sql), []
  let statement = prepared.get(sql)
  if (statement === undefined) prepared.set(sql, (statement = connection.prepare(sql)))
  return statement.all(parameters)
}
self.onmessage = ({ data: { number, path, statements } }) => {
  try {
    let rows = []
    if (statements === null) close()
    else {
      if (connection === undefined) open(path)
      for (const { sql, parameters } of statements) rows = run(sql, parameters)
    }
    self.postMessage({ number, rows, problem: null })
  } catch (error) {
    const problem = { name: error?.name, message: String(error?.message ?? error), code: error?.code }
    self.postMessage({ number, rows: [], problem })
  }
}
`

// A gateway that stores something large now and then does not keep a thread for it.
const IDLE_MS = 30_000

const BEGIN = { sql: 'begin immediate', parameters: [] }
const COMMIT = { sql: 'commit', parameters: [] }
const ROLLBACK = { sql: 'rollback', parameters: [] }
const NO_ROWS: unknown[] = []

interface Problem {
  readonly name?: unknown
  readonly message: string
  readonly code?: unknown
}

interface ThreadReply {
  readonly number: number
  readonly rows: unknown[]
  readonly problem: Problem | null
}

interface Statement {
  readonly sql: string
  readonly parameters: readonly Parameter[]
}

/** Runs statements one after the other, and gives the rows of the last. */
type AskThread = (statements: readonly Statement[]) => Promise<unknown[]>

/** Runs one statement of a transaction. */
export type RunStatement = (sql: string, parameters: readonly Parameter[]) => MaybePromise<unknown[]>

/** Writes to a SQLite file on a thread and a connection of its own, one thing after the other. */
export class SqliteThread {
  readonly #path: string
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown[]>>()
  /** By the text of a statement. */
  readonly #rowGivers = new Map<string, boolean>()
  #survivesPowerCut: boolean
  #worker: Worker | null = null
  #isSynced = false
  #idle: Timer | null = null
  #lastNumber = 0
  #lastInQueue: Promise<unknown> = Promise.resolve()
  #tasks = 0
  #isClosed = false

  constructor(path: string, survivesPowerCut: boolean) {
    this.#path = path
    this.#survivesPowerCut = survivesPowerCut
  }

  /** From the next write on. */
  setSurvivesPowerCut(survives: boolean): void {
    this.#survivesPowerCut = survives
  }

  /** Whether nothing is being written. */
  get isIdle(): boolean {
    return this.#tasks === 0
  }

  /** One statement, in a transaction of its own. */
  write(sql: string, parameters: readonly Parameter[]): Promise<void> {
    return this.#inTurn(async (ask) => {
      await ask([{ sql, parameters }])
    })
  }

  /** The same, but fails at once while another process writes. */
  async writeIfFree(sql: string): Promise<void> {
    await this.#inTurn(async (ask) => {
      await ask([{ sql: 'pragma busy_timeout = 0', parameters: [] }])
      try {
        await ask([{ sql, parameters: [] }])
      } finally {
        await ask([{ sql: 'pragma busy_timeout = 5000', parameters: [] }])
      }
    })
  }

  /**
   * All or nothing: rolled back when `work` throws. Statements that give no rows are sent with the next one that does, or
   * with the commit, because a message costs as much as a small statement. If one of them fails, so does that one.
   */
  transaction<Result>(work: (run: RunStatement) => Promise<Result>): Promise<Result> {
    return this.#inTurn(async (ask) => {
      let unsent: Statement[] = [BEGIN]
      const send = (last: Statement) => {
        const statements = [...unsent, last]
        unsent = []
        return ask(statements)
      }
      try {
        const result = await work((sql, parameters) => {
          if (this.#givesRows(sql)) return send({ sql, parameters })
          unsent.push({ sql, parameters })
          return NO_ROWS
        })
        await send(COMMIT)
        return result
      } catch (error) {
        // There is none when it did not begin, or when SQLite has rolled back by itself, as on a full disk.
        await ask([ROLLBACK]).catch(() => {})
        throw error
      }
    })
  }

  /** What is being written is finished first. Afterwards nothing touches the files any more. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#lastInQueue
    await this.#end()
  }

  #givesRows(sql: string): boolean {
    const known = this.#rowGivers.get(sql)
    if (known !== undefined) return known
    const givesRows = !sql.startsWith('insert ') || sql.includes(' returning ')
    this.#rowGivers.set(sql, givesRows)
    return givesRows
  }

  #inTurn<Result>(work: (ask: AskThread) => Promise<Result>): Promise<Result> {
    // A thread that began now would keep the files open.
    if (this.#isClosed) return Promise.reject(new Error('The database is closed.'))
    this.#tasks += 1
    const result = this.#lastInQueue
      .then(() => this.#use(work))
      .finally(() => {
        this.#tasks -= 1
      })
    this.#lastInQueue = result.catch(() => {})
    return result
  }

  async #use<Result>(work: (ask: AskThread) => Promise<Result>): Promise<Result> {
    if (this.#idle !== null) clearTimeout(this.#idle)
    this.#worker ??= this.#start()
    const worker = this.#worker
    const ask: AskThread = (statements) => this.#ask(worker, statements)
    // A process that has nothing else to do waits for what it is writing.
    worker.ref()
    try {
      if (this.#isSynced !== this.#survivesPowerCut) await this.#sync(ask)
      return await work(ask)
    } finally {
      this.#rest()
    }
  }

  async #sync(ask: AskThread): Promise<void> {
    const survives = this.#survivesPowerCut
    await ask([{ sql: `pragma synchronous = ${survives ? 'full' : 'normal'}`, parameters: [] }])
    this.#isSynced = survives
  }

  #start(): Worker {
    const address = URL.createObjectURL(new Blob([THREAD], { type: 'application/javascript' }))
    const worker = new Worker(address)
    this.#isSynced = false
    worker.onmessage = ({ data: { number, rows, problem } }: MessageEvent<ThreadReply>) => {
      const answer = this.#waiting.get(number)
      this.#waiting.delete(number)
      if (problem === null) answer?.resolve(rows)
      else answer?.reject(errorFrom(problem))
    }
    worker.onerror = ({ message }) => this.#fail(worker, new Error(message))
    return worker
  }

  /** `statements`: null to close the connection. */
  #ask(worker: Worker, statements: readonly Statement[] | null): Promise<unknown[]> {
    if (worker !== this.#worker) return Promise.reject(new Error('The thread that writes has ended.'))
    this.#lastNumber += 1
    const answer = Promise.withResolvers<unknown[]>()
    this.#waiting.set(this.#lastNumber, answer)
    worker.postMessage({ number: this.#lastNumber, path: this.#path, statements })
    return answer.promise
  }

  #rest(): void {
    if (this.#worker === null) return
    this.#worker.unref()
    this.#idle = setTimeout(() => {
      // In the queue, so that nothing is written meanwhile.
      this.#lastInQueue = this.#lastInQueue.then(() => this.#end())
    }, IDLE_MS)
    this.#idle.unref()
  }

  /** A thread that is only terminated lets go of its files some time later, and deletes the log as it does. */
  async #end(): Promise<void> {
    if (this.#idle !== null) clearTimeout(this.#idle)
    this.#idle = null
    const worker = this.#worker
    if (worker === null) return
    worker.ref()
    // A connection that cannot be closed goes with its thread.
    await this.#ask(worker, null).catch(() => {})
    worker.terminate()
    this.#worker = null
  }

  #fail(worker: Worker, reason: Error): void {
    worker.terminate()
    if (this.#worker === worker) this.#worker = null
    for (const { reject } of this.#waiting.values()) reject(reason)
    this.#waiting.clear()
  }
}

const KINDS: Readonly<Record<string, new (message: string) => Error>> = { RangeError, TypeError }

/** Errors lose their class and their code on the way, by which a refusal is told from what may succeed later. */
function errorFrom({ name, message, code }: Problem): Error {
  const Kind = KINDS[String(name)] ?? Error
  return code === undefined ? new Kind(message) : Object.assign(new Kind(message), { code })
}
